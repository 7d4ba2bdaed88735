package activities

import (
	"context"

	"errand/tools"
)

// DeclaredSource is a Source whose tool depends on what its declaration says.
type DeclaredSource interface {
	Source
	// Declared returns the descriptor for one declaration, its options included,
	// without opening anything.
	Declared(d tools.Declaration) tools.Descriptor
}

// Source is where gateway tools come from: the platform tools of the worker,
// an MCP server, web search.
type Source interface {
	// Describe returns the descriptor of a tool without opening anything, or
	// false when the source has no tool of that name.
	Describe(name string) (tools.Descriptor, bool)
	// Prepare adapts arguments before they are validated. Most tools return
	// them as they are.
	Prepare(name string, arguments []byte) ([]byte, error)
	// Execute runs a tool. An error is a failure that the model reads, but for
	// the context's own: that is a cancellation or a time-out.
	Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error)
}

// Reconciler is what a Source, or the Session of a tool of scope run, implements
// whose tools can tell what became of a call. It is asked for tools whose
// descriptor says that they reconcile.
type Reconciler interface {
	// Reconcile is asked after an attempt was lost, with the key of the call and
	// before anything is repeated. An error counts as tools.FoundUnknown.
	Reconcile(ctx context.Context, name string, call tools.Invocation) (tools.Finding, error)
}

// Opener is what a Source with tools of scope run implements as well. Discovery
// never opens anything.
type Opener interface {
	// Open makes the source ready for one run; the first call that needs it asks
	// for it. It is not called again for the same session while that lives. An
	// error is the outcome of the calls that wait for it; the next call tries
	// again.
	Open(ctx context.Context, o tools.SessionSpec) (tools.Session, error)
}
