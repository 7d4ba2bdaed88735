package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

	mu     sync.Mutex
	pools  map[string]*pool
	closed bool
	end    chan struct{}
	swept  sync.WaitGroup
	begun  sync.Once
}

// sweepEvery is how often unused connections are looked for.
const sweepEvery = 5 * time.Second

// New makes the servers of a worker. Nothing is opened before it is needed.
func New(o Options) *Servers {
	if o.Log == nil {
		o.Log = quiet{}
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
	s.swept.Wait()
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
	s.begun.Do(func() { s.swept.Go(s.sweep) })
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
	if !t.brought {
		source += "/" + t.Name
	}
	for i := range c.tools {
		one := &c.tools[i]
		if !allowed(d.AllowedTools, one.name, one.hints.readOnly()) {
			continue
		}
		out.Tools = append(out.Tools, tools.Listed{Descriptor: one.descriptor(t, source), Annotations: one.annotations})
	}
	for _, name := range missing(d.AllowedTools, c) {
		out.Warnings = append(out.Warnings, fmt.Sprintf("server %q: allowed_tools names %q, which the server does not have", t.Name, name))
	}
	return out, nil
}

func missing(allowed json.RawMessage, c *catalog) []string {
	var names []string
	if allowed != nil {
		for _, name := range parseFilter(allowed).names {
			if c.byName[name] == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

func newCatalog(schemas *schema.Cache, version string, raw []json.RawMessage, refused map[string]bool) *catalog {
	c := &catalog{version: version, byName: map[string]*listed{}}
	c.tools, c.warnings = readTools(raw, refused, schemas)
	for i := range c.tools {
		c.byName[c.tools[i].name] = &c.tools[i]
	}
	return c
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
	err = p.do(ctx, repeatable, func(ctx context.Context, c *conn) error {
		var err error
		raw, err = c.call(ctx, request{
			tool: call.Remote.Tool, arguments: objectOf(call.Arguments), key: call.Key, progress: call.Progress,
		})
		return err
	})
	if err == nil {
		r, failure := readResult(raw)
		if failure == nil {
			out := r.output(p.connector.target.Media, t, p.schemas)
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
func (p *pool) pinned(ctx context.Context, remote *tools.Remote) (*listed, []string, error) {
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
