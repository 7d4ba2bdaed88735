package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

// Source is the servers as one source of a run's tools: those that requests
// bring, or one of the configured ones.
type Source struct {
	servers *Servers
	// name is that of a configured server; empty for those of requests.
	name string
}

// Tools is what every source offers a run. One that has to be opened for each
// run has Open too.
type Tools interface {
	Describe(name string) (tools.Descriptor, bool)
	Prepare(name string, arguments []byte) ([]byte, error)
	Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error)
}

// Sources are the sources by name, as descriptors have them.
func (s *Servers) Sources() map[string]Tools {
	all := map[string]Tools{tools.SourceMCP: &Source{servers: s}}
	for _, one := range s.options.Servers {
		source := Source{servers: s, name: one.Name}
		if one.WithDefaults().Scope == mcpconfig.ScopeRun {
			all[tools.SourceMCP+"/"+one.Name] = &OwnSource{source}
		} else {
			all[tools.SourceMCP+"/"+one.Name] = &source
		}
	}
	return all
}

// OwnSource is a server that is opened for each run.
type OwnSource struct{ Source }

// Describe knows no tool: which ones a server has is found by List.
func (s *Source) Describe(string) (tools.Descriptor, bool) { return tools.Descriptor{}, false }

// Prepare returns arguments as they are.
func (s *Source) Prepare(_ string, arguments []byte) ([]byte, error) { return arguments, nil }

// Execute runs a tool of a shared server.
func (s *Source) Execute(ctx context.Context, _ string, call tools.Invocation) (tools.Output, error) {
	return s.servers.Execute(ctx, call)
}

// Label is the server's label in the name of a source, for people.
func Label(source string) string { return strings.TrimPrefix(source, tools.SourceMCP+"/") }

// Open opens a configured server for one run alone.
func (s *OwnSource) Open(ctx context.Context, o tools.SessionSpec) (tools.Session, error) {
	var faults tools.Faults
	t, ok := s.servers.options.resolve(tools.ServerDeclaration{Label: s.name}, o.Source, &faults)
	if !ok {
		return nil, faults
	}
	t.PoolSize = 1
	p := newPool(t, s.servers.options.Log, s.servers.schemas)
	opened, err := p.acquire(ctx)
	if err != nil {
		p.close()
		return nil, fmt.Errorf("server %q: %w", s.name, err)
	}
	p.release(opened)
	return &session{pool: p}, nil
}

// session is a server opened for one run.
type session struct{ pool *pool }

// Execute runs a tool. A server that had to be started again has lost what the
// run had done to it, and a warning says so.
func (s *session) Execute(ctx context.Context, _ string, call tools.Invocation) (tools.Output, error) {
	if call.Remote == nil {
		return tools.Output{}, fmt.Errorf("the call names no tool of server %q", s.pool.connector.target.Name)
	}
	before := s.pool.generation()
	out, err := s.pool.execute(ctx, call)
	if after := s.pool.generation(); err == nil && after != before {
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"server %q had ended and was started again: what it remembered of this run is gone", s.pool.connector.target.Name))
	}
	return out, err
}

// Close ends the server's process, or the session with it.
func (s *session) Close(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.pool.close()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("server %q has not ended yet: %w", s.pool.connector.target.Name, ctx.Err())
	}
}

func (p *pool) generation() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

// Execute runs a tool of a shared server.
func (s *Servers) Execute(ctx context.Context, call tools.Invocation) (tools.Output, error) {
	if call.Server == nil || call.Remote == nil {
		return tools.Output{}, errors.New("the call names no MCP server")
	}
	var faults tools.Faults
	t, ok := s.options.resolve(*call.Server, "server "+call.Server.Label, &faults)
	if !ok { // the worker's configuration is not the one that discovered it
		return tools.Output{}, &tools.CallError{Status: tools.Failed, Type: tools.ErrExecutionFailed, Message: faults.Error()}
	}
	if t.Scope == mcpconfig.ScopeRun { // nobody has opened it for the run
		t.key += "/" + call.RunID
	}
	p, err := s.pool(t)
	if err != nil {
		return tools.Output{}, failureOf(err).callError(call.Remote.Tool, false)
	}
	return p.execute(ctx, call)
}

// execute runs a tool on a connection of the pool.
func (p *pool) execute(ctx context.Context, call tools.Invocation) (tools.Output, error) {
	t, warning, err := p.pinned(ctx, call.Remote)
	if err != nil {
		return tools.Output{}, err
	}
	repeatable := call.Effect.Repeatable()
	var raw json.RawMessage
	err = p.do(ctx, repeatable, func(ctx context.Context, c *connection) error {
		var err error
		raw, err = c.call(ctx, request{
			tool: call.Remote.Tool, arguments: objectOf(call.Arguments), key: call.Key, progress: call.Progress,
		})
		return err
	})
	if err == nil {
		r, failure := readResult(raw)
		if failure == nil {
			out := r.output(ctx, p.connector.target.Media, t, p.schemas)
			out.Warnings = append(out.Warnings, warning...)
			return out, nil
		}
		err = failure
	}
	if ctx.Err() != nil {
		return tools.Output{}, ctx.Err()
	}
	return tools.Output{}, failureOf(err).callError(call.Remote.Tool, repeatable)
}

// objectOf makes arguments an object: some servers fail on null and on none.
func objectOf(arguments json.RawMessage) json.RawMessage {
	if text := strings.TrimSpace(string(arguments)); text == "" || text == "null" {
		return json.RawMessage("{}")
	}
	return arguments
}

// pinned finds a tool, and says what has changed since the run was shown it. A
// list that cannot be read now is no reason not to try the call.
func (p *pool) pinned(ctx context.Context, remote *tools.Remote) (*serverTool, []string, error) {
	c, err := p.catalog(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, nil
	}
	t := c.byName[remote.Tool]
	var change string
	switch {
	case t == nil:
		change = fmt.Sprintf("tool %q of server %q has gone from the server's list since the run began", remote.Tool, remote.Server)
	case remote.Digest != "" && t.digest != remote.Digest:
		change = fmt.Sprintf("tool %q of server %q has changed since the run began", remote.Tool, remote.Server)
	default:
		return t, nil, nil
	}
	if p.connector.target.OnToolChange == mcpconfig.OnChangeRefuse {
		return nil, nil, &tools.CallError{Status: tools.Denied, Type: tools.ErrBlocked, Message: change + ": it was not called"}
	}
	return t, []string{change}, nil
}
