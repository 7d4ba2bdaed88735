package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

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
	// Activation is the opening that the call belongs to; nil where nothing is
	// opened for it.
	Activation *Activation `json:"activation,omitempty"`
	// Lost counts the attempts before this activity that may have taken place.
	Lost int `json:"lost,omitempty"`
}

// Execute runs one call and finalises its outcome. It returns an error only
// for what Temporal should act on: cancellation, or a worker that goes away.
func (a *Activities) Execute(ctx context.Context, in ExecuteInput) (tools.Outcome, error) {
	var begun atomic.Bool
	progress := func() Progress { return Progress{Begun: begun.Load()} }
	ctx, done := a.own.until(ctx)
	defer done()
	defer beat(ctx, progress)()
	defer a.beatOn(ctx, progress)()
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

// attempt is one execution of a call.
type attempt struct {
	in   ExecuteInput
	tool tools.Descriptor
	call tools.Invocation
	// source runs the call: the source itself, or its session for the run.
	source executor
	// oracle knows what became of a lost attempt; nil if nobody does.
	oracle Reconciler
	end    func()
}

// executor is what Source and Session have in common.
type executor interface {
	Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error)
}

// attempt finds what runs the call; nil when this worker has nothing for it.
func (a *Activities) attempt(ctx context.Context, in ExecuteInput) (*attempt, error) {
	info := activity.GetInfo(ctx)
	source, ok := a.sources[in.Source]
	if !ok {
		return nil, nil
	}
	tool, ok := describe(source, in)
	if !ok {
		return nil, nil
	}
	e := &attempt{in: in, tool: tool, source: source, end: func() {}, call: tools.Invocation{
		RunID: info.WorkflowExecution.ID, Call: in.Call, Attempt: in.Lost + int(info.Attempt),
		Arguments: json.RawMessage(in.Call.Arguments), Options: in.Options, Found: in.Found,
		Effect: in.Effect, Server: in.Server, Remote: in.Remote,
		Key:      tools.Key(info.WorkflowExecution.ID, in.Call.Round, in.Call.Index),
		Progress: func(string) {},
	}}
	e.oracle, _ = source.(Reconciler)
	if in.Activation != nil {
		leave, err := a.own.enter(ctx)
		if err != nil {
			return nil, err
		}
		e.end = leave
		session, open := a.own.holder.session(*in.Activation)
		if !open {
			leave()
			return nil, noSuchSession(*in.Activation)
		}
		e.source = session
		if r, ok := session.(Reconciler); ok {
			e.oracle = r
		}
	}
	if in.Progress {
		report, end := a.progress.follow(ctx, in.Call)
		leave := e.end
		e.call.Progress = report
		e.end = func() { end(); leave() }
	}
	return e, nil
}

// outcomeOf finalises what a tool returned.
func (a *Activities) outcomeOf(ctx context.Context, e *attempt, started time.Time, out tools.Output, err error) tools.Outcome {
	outcome := a.finalize(ctx, e.in, HookCall{
		RunID: e.call.RunID, Call: e.in.Call, Descriptor: e.tool, Arguments: e.call.Arguments,
	}, out, err)
	if e.in.MaxOutput > 0 {
		outcome = outcome.Cut(e.in.MaxOutput)
	}
	a.hold(e.in.Call, outcome)
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
	err := a.engine.RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken, Progress{Begun: true})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return stopped(ctx, Progress{})
	default:
		return temporal.NewApplicationErrorWithCause("the call could not begin: the server did not take its mark",
			TypeNotBegun, err)
	}
}

// TypeNotBegun is the error type of an attempt that ended before it touched
// its tool. It can be scheduled again whatever the tool's effect.
const TypeNotBegun = "NotBegun"

// describe is the descriptor of the tool. Those of servers were found at
// discovery: what the call needs of it is in the input.
func describe(source Source, in ExecuteInput) (tools.Descriptor, bool) {
	if in.Remote == nil {
		return source.Describe(in.Call.Tool)
	}
	return tools.Descriptor{
		Name: in.Call.Tool, Namespace: in.Call.Namespace, Type: tools.TypeMCP, Owner: tools.OwnedByGateway,
		GatewayTool: tools.GatewayTool{Source: in.Source, Effect: in.Effect, Remote: in.Remote},
	}, true
}
