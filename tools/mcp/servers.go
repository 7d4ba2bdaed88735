// Package mcp reaches the servers of the Model Context Protocol that requests
// declare and workers configure: over a process's pipes, Streamable HTTP or
// SSE. mark3labs/mcp-go speaks the protocol; around it stand a layer that
// bounds, identifies and cancels what travels (interceptor, http, process), a
// pool of connections, and the reading of tools and results from the servers'
// own bytes, since the library's types lose parts of both.
package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
	"errand/tools/schema"
)

// Servers are all servers that a worker can reach. It is safe for concurrent
// use; Close ends every connection and process.
type Servers struct {
	options Options
	schemas *schema.Cache

	mu         sync.Mutex
	pools      map[string]*pool
	closed     bool
	end        chan struct{}
	sweeping   sync.WaitGroup
	startSweep sync.Once
}

// sweepEvery is how often unused connections are looked for.
const sweepEvery = 5 * time.Second

// New makes the servers of a worker. Nothing is opened before it is needed.
func New(o Options) *Servers {
	if o.Log == nil {
		o.Log = noLogger{}
	}
	return &Servers{options: o, schemas: schema.NewCache(2048), pools: map[string]*pool{}, end: make(chan struct{})}
}

func (s *Servers) sweep() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.end:
			return
		case now := <-ticker.C:
			s.mu.Lock()
			for key, p := range s.pools {
				if p.evict(now) {
					delete(s.pools, key)
				}
			}
			s.mu.Unlock()
		}
	}
}

// Close ends every shared connection and waits for it. Sessions are closed by
// who opened them.
func (s *Servers) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	pools := s.pools
	s.pools = map[string]*pool{}
	s.mu.Unlock()
	close(s.end)
	s.sweeping.Wait()
	var all sync.WaitGroup
	for _, p := range pools {
		all.Go(p.close)
	}
	all.Wait()
}

func (s *Servers) pool(t target) (*pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errPoolClosed
	}
	s.startSweep.Do(func() { s.sweeping.Go(s.sweep) })
	p, there := s.pools[t.key]
	if !there {
		p = newPool(t, s.options.Log, s.schemas)
		s.pools[t.key] = p
	}
	return p, nil
}

// Names are those of the configured servers.
func (s *Servers) Names() []string {
	names := make([]string, len(s.options.Servers))
	for i, one := range s.options.Servers {
		names[i] = one.Name
	}
	return names
}

// List finds the tools of a declared server that the declaration allows. What
// is wrong with the declaration is in Faults, under path; a server that is down
// is a Failure. The error is the context's own.
func (s *Servers) List(ctx context.Context, d tools.ServerDeclaration, path string) (tools.Listing, error) {
	var out tools.Listing
	t, ok := s.options.resolve(d, path, &out.Faults)
	out.Warnings = t.warnings
	if !ok {
		return out, nil
	}
	p, err := s.pool(t)
	if err != nil {
		return out, err
	}
	c, err := p.catalog(ctx)
	if t.Scope == mcpconfig.ScopeRun {
		p.closeIdle() // it was opened for its list only
	}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil:
		out.Failure = failureOf(err).Message
		return out, nil
	}
	out.Protocol = c.version
	for _, w := range c.warnings {
		out.Warnings = append(out.Warnings, fmt.Sprintf("server %q: %s", t.Name, w))
	}
	source := tools.SourceMCP
	if !t.fromRequest {
		source += "/" + t.Name
	}
	for i := range c.tools {
		one := &c.tools[i]
		if !allowed(d.AllowedTools, one.name, one.hints.readOnly()) {
			continue
		}
		out.Tools = append(out.Tools, tools.Listed{Descriptor: one.descriptor(t, source), Annotations: one.annotations})
	}
	for _, name := range unknownAllowed(d.AllowedTools, c) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("server %q: allowed_tools names %q, which the server does not have", t.Name, name))
	}
	return out, nil
}

// Logger takes what servers write and what goes wrong with them. A logger of
// the Temporal SDK is one.
type Logger interface {
	Debug(message string, keyvals ...any)
	Info(message string, keyvals ...any)
	Warn(message string, keyvals ...any)
}

type noLogger struct{}

func (noLogger) Debug(string, ...any) {}

func (noLogger) Info(string, ...any) {}

func (noLogger) Warn(string, ...any) {}
