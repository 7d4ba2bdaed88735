package worker

import (
	"fmt"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/activities"
	"errand/tools"
	"errand/tools/delegate"
	"errand/tools/mcp"
)

// Option is one thing that New is given beside the configuration.
type Option func(*parts)

// parts collects the options, and what is wrong with them.
type parts struct {
	tools    []Tool
	builtins bool
	// depth is that of WithDelegate; 0 without.
	depth  int
	hooks  activities.Hooks
	model  Model
	client client.Client
	adjust []func(*client.Options)
	logger *zap.Logger
	// servers are made when the worker is put together.
	servers *mcp.Servers
	faults  tools.Faults
	// known are the names of the platform tools, once they are assembled.
	known []string
}

// WithTools registers tools that requests may declare with type "platform".
func WithTools(all ...Tool) Option {
	return func(p *parts) { p.tools = append(p.tools, all...) }
}

// WithBuiltins registers the built-in tools: now, read_file, list_files,
// write_file and fetch_url, and load_skill where the configuration has a folder
// of skills.
func WithBuiltins() Option {
	return func(p *parts) { p.builtins = true }
}

// WithDelegate registers the platform tool delegate, by which a run starts
// another and waits for its result: at most maxDepth runs below each other. It
// goes before delegate.max_depth of the configuration.
func WithDelegate(maxDepth int) Option {
	return func(p *parts) {
		if maxDepth < 1 || maxDepth > delegate.MaxDepth {
			p.faults.Add("WithDelegate", fmt.Sprintf("the depth is %d: give one from 1 to %d", maxDepth, delegate.MaxDepth))
			return
		}
		p.depth = maxDepth
	}
}

// WithBeforeToolCall adds a hook that decides about every call, after those
// added before it.
func WithBeforeToolCall(hook BeforeToolCall) Option {
	return func(p *parts) {
		if hook == nil {
			p.missing("WithBeforeToolCall", "hook")
			return
		}
		p.hooks.Before = append(p.hooks.Before, hook)
	}
}

// WithAfterToolCall adds a hook that sees every output of this worker's calls,
// after those added before it.
func WithAfterToolCall(hook AfterToolCall) Option {
	return func(p *parts) {
		if hook == nil {
			p.missing("WithAfterToolCall", "hook")
			return
		}
		p.hooks.After = append(p.hooks.After, hook)
	}
}

// WithCompact has a conversation that has become too long for its model made
// shorter in the caller's way, for example by a summary. Without it the oldest
// settled rounds are left out behind a note.
func WithCompact(compact Compact) Option {
	return func(p *parts) {
		if compact == nil {
			p.missing("WithCompact", "function")
			return
		}
		p.hooks.Compact = compact
	}
}

// WithModel answers every inference by this model; the endpoints of the
// configuration are not used.
func WithModel(model Model) Option {
	return func(p *parts) {
		if model == nil {
			p.missing("WithModel", "model")
			return
		}
		p.model = model
	}
}

// WithClient uses a connection that the caller keeps and closes, and whose
// logger stays the caller's. Without it the worker dials one and closes it.
// The caller's client needs workflow ids of printable ASCII: a run with another
// id, whoever started it, fails every request about it and holds the worker up.
// Dial makes a client without this limit, as does AnyWorkflowID. Where the
// configuration has a Storage, the client needs it as well: see storage.Open.
func WithClient(connected client.Client) Option {
	return func(p *parts) {
		if connected == nil {
			p.missing("WithClient", "client")
			return
		}
		p.client = connected
	}
}

// WithClientOptions changes the options of the connection that the worker
// dials: a MetricsHandler, interceptors, a data converter.
func WithClientOptions(change func(*client.Options)) Option {
	return func(p *parts) {
		if change == nil {
			p.missing("WithClientOptions", "function")
			return
		}
		p.adjust = append(p.adjust, change)
	}
}

// WithLogger logs to this logger and not to the one of the configuration.
func WithLogger(logger *zap.Logger) Option {
	return func(p *parts) {
		if logger == nil {
			p.missing("WithLogger", "logger")
			return
		}
		p.logger = logger
	}
}

func (p *parts) missing(option, what string) {
	p.faults.Add(option, fmt.Sprintf("the %s is nil: pass one, or leave the option out", what))
}
