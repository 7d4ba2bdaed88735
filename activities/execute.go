package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/activities/session"
	"errand/tools"
)

// ExecuteInput is one gateway-owned call, ready to run. The tool's descriptor
// stays out of it: the source has it.
type ExecuteInput struct {
	// Call holds the final arguments.
	Call   tools.Call `json:"call"`
	Source string     `json:"source"`
	// Server and Remote say which tool of which MCP server; nil for any other.
	Server *tools.ServerDeclaration `json:"server,omitempty"`
	Remote *tools.Remote            `json:"remote,omitempty"`
	Effect tools.Effect             `json:"effect"`
	// Timeout bounds the execution; 0 is no bound.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Options are those of the tool's declaration.
	Options json.RawMessage `json:"options,omitempty"`
	// Found is true when the page that the call names was found by a search of
	// the run.
	Found bool `json:"found,omitempty"`
	// Grace is how long the tool of a cancelled run may take to return; 0 means
	// contract.DefaultCancelGrace.
	Grace time.Duration `json:"grace,omitempty"`
	// MaxOutput is the size in bytes above which the output is cut; 0 means
	// tools.MaxOutput.
	MaxOutput int `json:"max_output,omitempty"`
	// Progress asks for partial results.
	Progress bool `json:"progress,omitempty"`
	// Session is that of the call; nil where nothing is opened for it.
	Session *session.ID `json:"activation,omitempty"`
	// Lost counts the attempts before this activity that may have taken place.
	Lost int `json:"lost,omitempty"`
}

// Execute runs one call and finalises its outcome. It returns an error only
// for what Temporal should act on: cancellation, or a worker that goes away.
func (a *Activities) Execute(ctx context.Context, in ExecuteInput) (tools.Outcome, error) {
	var begun atomic.Bool
	details := func() Heartbeat { return Heartbeat{Begun: begun.Load()} }
	ctx, done := a.shutdown.ends(ctx)
	defer done()
	defer beat(ctx, details)()
	defer a.beatOn(ctx, details)()
	e, err := a.attempt(ctx, in)
	if err != nil {
		return tools.Outcome{}, err
	}
	if e == nil {
		return tools.Fail(tools.Failed, tools.ErrNoHandler,
			fmt.Sprintf("tool %q has no executor on this worker", in.Call.Tool)), nil
	}
	defer e.end()
	if outcome, settled, err := a.reconcile(ctx, e); settled || err != nil {
		return outcome, err
	}
	if !in.Effect.Repeatable() {
		// From here on every beat says it too: one that did not, on its way
		// while the mark is taken, would wipe it out.
		begun.Store(true)
		if err := a.begin(ctx); err != nil {
			return tools.Outcome{}, err
		}
	}
	started := time.Now()
	out, err := e.run(ctx)
	if ctx.Err() != nil && err != nil {
		return tools.Outcome{}, stopped(ctx, leftBehind(err))
	}
	return a.outcomeOf(ctx, e, started, out, err), nil
}

// outcomeOf finalises what a tool returned.
func (a *Activities) outcomeOf(ctx context.Context, e *attempt, started time.Time, out tools.Output, err error) tools.Outcome {
	outcome := a.finalize(ctx, e.in, HookCall{
		RunID: e.call.RunID, Call: e.in.Call, Descriptor: e.tool, Arguments: e.call.Arguments,
	}, out, err)
	if e.in.MaxOutput > 0 {
		outcome = outcome.Cut(e.in.MaxOutput)
	}
	a.keepOutput(e.in.Call, outcome)
	// Every digit stands in history: what traces do not show is left out.
	outcome.StartedAt, outcome.TookMS = started.UTC().Truncate(time.Millisecond), time.Since(started).Milliseconds()
	if e.call.Attempt > 1 {
		outcome.Attempt = e.call.Attempt
	}
	return outcome
}

// outputLimit is what an output may have: what the run says, as far as this
// worker can store it.
func (a *Activities) outputLimit(in ExecuteInput) int {
	return max(tools.MaxOutput, min(in.MaxOutput, a.maxOutput))
}

// begin tells the server that the tool is about to be touched, and waits for
// the acknowledgement: a lost attempt that never said so did not begin.
func (a *Activities) begin(ctx context.Context) error {
	err := a.engine.RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken, Heartbeat{Begun: true})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return stopped(ctx, Heartbeat{})
	default:
		return temporal.NewApplicationErrorWithCause("the call could not begin: the server did not take its mark",
			TypeNotBegun, err)
	}
}

// TypeNotBegun is the error type of an attempt that ended before it touched
// its tool. It can be scheduled again whatever the tool's effect.
const TypeNotBegun = "NotBegun"
