package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"errand/tools"
)

// Source holds the platform tools of a worker. It does not change once it is
// built, and is safe for concurrent use.
type Source struct {
	byName map[string]Tool
}

// NewSource checks the tools and makes them callable. The error lists
// everything wrong with all of them, as tools.Faults.
func NewSource(all ...Tool) (*Source, error) {
	s := &Source{byName: make(map[string]Tool, len(all))}
	place := map[string]int{}
	resources := map[string]*Resource{}
	var faults tools.Faults
	for i, t := range all {
		path := fmt.Sprintf("tools[%d]", i)
		t.check(path, &faults)
		if first, taken := place[t.Name]; taken {
			faults.Add(path+".name", fmt.Sprintf("tool %q is already registered as tools[%d]: rename one", t.Name, first))
			continue
		}
		if r := t.Resource; r != nil {
			if other := resources[r.Name]; other != nil && other != r {
				faults.Add(path+".resource", fmt.Sprintf("another resource has the name %q: share one, or rename it", r.Name))
			}
			resources[r.Name] = r
		}
		place[t.Name] = i
		s.byName[t.Name] = t
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Describe returns the descriptor of a tool, or false if there is none of that
// name.
func (s *Source) Describe(name string) (tools.Descriptor, bool) {
	t, ok := s.byName[name]
	if !ok {
		return tools.Descriptor{}, false
	}
	return t.descriptor(), true
}

// Prepare lets the tool adapt arguments before they are validated.
func (s *Source) Prepare(name string, arguments []byte) (result []byte, err error) {
	t, ok := s.byName[name]
	if !ok {
		return nil, unknown(name)
	}
	if t.PrepareArguments == nil {
		return arguments, nil
	}
	defer guard(&err)
	return t.PrepareArguments(json.RawMessage(arguments))
}

// Execute runs a tool. A panic comes back as a *PanicError.
func (s *Source) Execute(ctx context.Context, name string, call tools.Invocation) (output tools.Output, err error) {
	t, ok := s.byName[name]
	if !ok {
		return tools.Output{}, unknown(name)
	}
	defer guard(&err)
	return t.Execute(context.WithValue(ctx, invocationKey{}, call), call)
}

// Reconcile asks a tool what became of a call.
func (s *Source) Reconcile(ctx context.Context, name string, call tools.Invocation) (finding tools.Finding, err error) {
	t, ok := s.byName[name]
	if !ok || t.Reconcile == nil {
		return tools.Finding{Found: tools.FoundUnknown}, nil
	}
	defer guard(&err)
	return t.Reconcile(context.WithValue(ctx, invocationKey{}, call), call)
}

func unknown(name string) error {
	return fmt.Errorf("this worker has no platform tool %q", name)
}

type invocationKey struct{}

// Invocation is the call that ctx executes, for code that gets the context
// only: it needs the idempotency key to change something elsewhere.
func Invocation(ctx context.Context) (tools.Invocation, bool) {
	call, ok := ctx.Value(invocationKey{}).(tools.Invocation)
	return call, ok
}

// PanicError is the failure of a tool that panicked. Its message is for the
// model; the stack is for the worker's log. It does not unwrap to a Value that
// is an error, or a panic could pass for a cancellation.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("the tool panicked: %v", e.Value) }

// StackTrace is the stack: the worker logs that of an error which has one.
func (e *PanicError) StackTrace() []byte { return e.Stack }

// guard must be deferred itself: recover works in no other place.
func guard(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{value, debug.Stack()}
	}
}

// Names are those of all tools, in order.
func (s *Source) Names() []string { return slices.Sorted(maps.Keys(s.byName)) }
