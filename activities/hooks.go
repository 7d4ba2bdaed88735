package activities

import (
	"context"
	"encoding/json"

	"errand/tools"
)

// Hooks are a worker's own rules around every call, in the order given.
type Hooks struct {
	Before []BeforeToolCall
	After  []AfterToolCall
	// Compact is nil where the default is wanted.
	Compact Compact
}

// HookCall is the call that a hook is asked about.
type HookCall struct {
	RunID      string
	Call       tools.Call
	Descriptor tools.Descriptor
	// Arguments are coerced and valid.
	Arguments json.RawMessage
}

// BeforeToolCall decides about a call before it is executed or handed over.
// Hooks of one batch run one after the other, in origin order, before any of
// its calls starts (PI-8). An error fails that call only.
type BeforeToolCall func(ctx context.Context, call HookCall) (Decision, error)

// AfterToolCall may change the output of a gateway-owned call that has run. An
// error fails that call only (PI-20).
type AfterToolCall func(ctx context.Context, call HookCall, output *tools.Output) error

// Verdict is what a before-hook decided.
type Verdict string

const (
	// VerdictAllow lets the call go on.
	VerdictAllow Verdict = "allow"
	// VerdictBlock refuses it.
	VerdictBlock Verdict = "block"
	// VerdictAsk waits for a person's approval.
	VerdictAsk Verdict = "ask"
)

// Decision is the answer of a before-hook. The zero Decision allows.
type Decision struct {
	Verdict Verdict
	// Reason is told to the model (block) or to the person (ask).
	Reason string
	// Arguments replace the call's when not nil. They are executed without
	// being validated again (PI-15).
	Arguments json.RawMessage
}

// Allow lets the call go on.
func Allow() Decision { return Decision{Verdict: VerdictAllow} }

// Block refuses the call; the model reads the reason.
func Block(reason string) Decision { return Decision{Verdict: VerdictBlock, Reason: reason} }

// Ask waits until somebody approves or denies the call.
func Ask(reason string) Decision { return Decision{Verdict: VerdictAsk, Reason: reason} }

// With changes the arguments of the call.
func (d Decision) With(arguments json.RawMessage) Decision {
	d.Arguments = arguments
	return d
}
