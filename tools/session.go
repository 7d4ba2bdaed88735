package tools

import "context"

// Scope says for how long a source's tools need something open.
type Scope string

const (
	// ScopeNone needs nothing. An empty scope means the same.
	ScopeNone Scope = "none"
	// ScopeShared is one connection a worker, lent to every run.
	ScopeShared Scope = "shared"
	// ScopeRun is opened for one run, on its first call, and closed when the
	// run ends.
	ScopeRun Scope = "run"
)

// SessionSpec says which session of a source is to be opened for which run.
type SessionSpec struct {
	RunID string
	// Source is the name that the descriptors carry, for example mcp/db.
	Source string
	// Epoch counts the sessions of the source in the run, from 1: it grows when
	// the worker that has one is lost.
	Epoch int
	// Server is the declaration of an MCP server that the request brought; nil
	// for anything that the worker's configuration knows.
	Server *ServerDeclaration
}

// Session is a source opened for one run. It lives in the worker that opened it.
// Calls may run at the same time.
type Session interface {
	// Execute runs a tool. An error is a failure that the model reads, but for
	// the context's own: that is a cancellation or a time-out.
	Execute(ctx context.Context, name string, call Invocation) (Output, error)
	// Close gives back everything that was opened. It is called once; it must
	// bear more, and return when ctx ends. Its error is recorded and stops
	// nothing.
	Close(ctx context.Context) error
}
