package platform

import (
	"context"
	"fmt"

	"errand/tools"
)

// Resource is something that is opened once for each run that needs it and that
// tools share: a sandbox, a browser, a process. It lives in one worker, from the
// first call that needs it until the run ends, however it ends.
type Resource struct {
	// Name says what it is: ^[A-Za-z0-9_-]{1,64}$. Its source is platform/<Name>.
	Name string
	// Open makes it ready for a run. An error is the outcome of the calls that
	// wait for it; the next call tries again. It must return when ctx ends.
	Open func(ctx context.Context, o tools.SessionSpec) (Session, error)
}

// Session is what a Resource opened for a run.
type Session interface {
	// Close gives it back. It must return when ctx ends, and bear to be called
	// when half of it is gone. Its error is recorded in the run's result.
	Close(ctx context.Context) error
}

// Opened is the session of the tool's resource, for the tool that executes.
func Opened[S Session](ctx context.Context) (S, bool) {
	s, ok := ctx.Value(sessionKey{}).(S)
	return s, ok
}

type sessionKey struct{}

func (r *Resource) source() string { return tools.SourcePlatform + "/" + r.Name }

// check records everything wrong with r under its path.
func (r *Resource) check(path string, faults *tools.Faults) {
	if !tools.ValidName(r.Name) {
		faults.Add(path+".name", fmt.Sprintf("%q is not a name: use 1 to %d letters, digits, _ or -", r.Name, tools.MaxName))
	}
	if r.Open == nil {
		faults.Add(path+".open", fmt.Sprintf("resource %q has no Open function", r.Name))
	}
}

// ResourceSource holds the tools of one resource. They run in its session only.
type ResourceSource struct {
	*Source
	resource *Resource
}

// Resources are the sources of the tools that share a resource, by name.
func (s *Source) Resources() map[string]*ResourceSource {
	all := map[string]*ResourceSource{}
	for _, t := range s.byName {
		if t.Resource != nil {
			all[t.Resource.source()] = &ResourceSource{Source: s, resource: t.Resource}
		}
	}
	return all
}

// Describe returns the descriptor of a tool of the resource.
func (s *ResourceSource) Describe(name string) (tools.Descriptor, bool) {
	if s.byName[name].Resource != s.resource {
		return tools.Descriptor{}, false
	}
	return s.Source.Describe(name)
}

// Execute refuses: without a session there is no resource.
func (s *ResourceSource) Execute(_ context.Context, name string, _ tools.Invocation) (tools.Output, error) {
	return tools.Output{}, fmt.Errorf("tool %q needs %s, which is not open", name, s.resource.source())
}

// Open opens the resource for a run.
func (s *ResourceSource) Open(ctx context.Context, o tools.SessionSpec) (_ tools.Session, err error) {
	defer guard(&err)
	session, err := s.resource.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return nil, fmt.Errorf("resource %q opened nothing", s.resource.Name)
	}
	return &opened{tools: s.Source, session: session}, nil
}

// opened is a resource that was opened for a run.
type opened struct {
	tools   *Source
	session Session
}

func (o *opened) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{}, o.session)
}

// Execute runs a tool with the session in its context.
func (o *opened) Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error) {
	return o.tools.Execute(o.with(ctx), name, call)
}

// Reconcile asks a tool with the session in its context.
func (o *opened) Reconcile(ctx context.Context, name string, call tools.Invocation) (tools.Finding, error) {
	return o.tools.Reconcile(o.with(ctx), name, call)
}

// Close closes the session.
func (o *opened) Close(ctx context.Context) (err error) {
	defer guard(&err)
	return o.session.Close(ctx)
}
