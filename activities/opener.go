package activities

import (
	"context"

	"errand/tools"
)

// Opener is what a Source with tools of scope run implements as well. Discovery
// never opens anything (CL-2).
type Opener interface {
	// Open makes the source ready for one run; the first call that needs it asks
	// for it. It is not called again for the same Opening while the session
	// lives. An error is the outcome of the calls that wait for it; the next
	// call tries again.
	Open(ctx context.Context, o Opening) (Session, error)
}

// Opening names one activation: a live, run-scoped opening of a source.
type Opening struct {
	RunID string
	// Source is the name that the descriptors carry, for example mcp/db.
	Source string
	// Epoch counts the openings of the source in the run, from 1: it grows when
	// the worker that held one is lost.
	Epoch int
	// Server is the declaration of an MCP server that the request brought; nil
	// for anything that the worker's configuration knows.
	Server *tools.ServerDeclaration
}

// Session is a source opened for one run. It lives in the worker that opened it.
// Calls may run at the same time.
type Session interface {
	// Execute runs a tool as Source.Execute does.
	Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error)
	// Close gives back everything that was opened. It is called once; it must
	// bear more, and return when ctx ends. Its error is recorded and stops
	// nothing.
	Close(ctx context.Context) error
}
