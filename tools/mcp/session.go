package mcp

import (
	"context"
	"fmt"

	"errand/tools"
)

// Open opens a configured server for one run alone.
func (s *OwnSource) Open(ctx context.Context, o tools.Opening) (tools.Session, error) {
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
