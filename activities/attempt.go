package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/activities/usercode"
	"errand/tools"
	"errand/workflows/contract"
)

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
	if in.Session != nil {
		if err := a.useSession(ctx, e); err != nil {
			return nil, err
		}
	}
	if in.Progress {
		report, end := a.progress.follow(ctx, in.Call)
		release := e.end
		e.call.Progress = report
		e.end = func() { end(); release() }
	}
	return e, nil
}

// useSession has the call run in its session.
func (a *Activities) useSession(ctx context.Context, e *attempt) error {
	release, err := a.sessions.Acquire(ctx)
	if err != nil {
		return stopped(ctx, Heartbeat{})
	}
	opened, ok := a.sessions.Get(*e.in.Session)
	if !ok {
		release()
		return noSession(*e.in.Session)
	}
	e.end, e.source = release, opened
	if r, ok := opened.(Reconciler); ok {
		e.oracle = r
	}
	return nil
}

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

// toolGrace is how long a tool may take to return once its time is up, or that of
// its worker. One that ignores its context is left behind after it.
const toolGrace = 5 * time.Second

// run runs the tool beside a watch on its time and its context.
func (e *attempt) run(ctx context.Context) (tools.Output, error) {
	toolCtx, cancel := context.WithCancel(ctx)
	if e.in.Timeout > 0 {
		toolCtx, cancel = context.WithTimeoutCause(ctx, e.in.Timeout, errTimedOut)
	}
	defer cancel()
	answers := usercode.Go(func() (tools.Output, error) {
		return e.source.Execute(toolCtx, e.in.Call.Tool, e.call)
	})
	select {
	case got := <-answers:
		return got.Value, timedOut(toolCtx, got.Err)
	case <-toolCtx.Done():
	}
	late := time.NewTimer(e.grace(ctx))
	defer late.Stop()
	select {
	case got := <-answers:
		return got.Value, timedOut(toolCtx, got.Err)
	case <-late.C:
		if errors.Is(context.Cause(toolCtx), errTimedOut) {
			return tools.Output{}, errStillRuns
		}
		return tools.Output{}, errLeft
	}
}

// grace is that of the run when it was the run that was stopped.
func (e *attempt) grace(ctx context.Context) time.Duration {
	switch {
	case ctx.Err() == nil || workerStops(ctx):
		return toolGrace
	case e.in.Grace > 0:
		return e.in.Grace
	}
	return contract.DefaultCancelGrace
}

var (
	errTimedOut = errors.New("the tool timed out")
	// errStillRuns is the time-out of a tool that ignores its context.
	errStillRuns = fmt.Errorf("%w and did not stop", errTimedOut)
	// errLeft is the end of a tool that ignores that it was told to stop.
	errLeft = errors.New("the tool was told to stop and did not")
)

// leftBehind is the heartbeat of a call whose context ended: one that did not
// return may still take effect.
func leftBehind(err error) Heartbeat {
	return Heartbeat{Begun: true, Left: errors.Is(err, errLeft)}
}

// timedOut names the time-out that a tool's error was caused by, wherever in
// the chain it is.
func timedOut(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimedOut) {
		return errTimedOut
	}
	return err
}

// reconcileLimit bounds the question what became of a lost attempt.
const reconcileLimit = 30 * time.Second

// reconcile asks what became of the attempts before this one. The call is
// settled when it was done, or when nobody knows and it must not be repeated.
func (a *Activities) reconcile(ctx context.Context, e *attempt) (o tools.Outcome, settled bool, err error) {
	if e.call.Attempt == 1 {
		return o, false, nil
	}
	asked := time.Now()
	finding := inquire(ctx, e)
	switch {
	case ctx.Err() != nil:
		return o, false, stopped(ctx, Heartbeat{})
	case finding.Found == tools.FoundDone:
		return a.outcomeOf(ctx, e, asked, finding.Output, nil), true, nil
	case finding.Found == tools.FoundNotDone || e.in.Lost == 0 || e.in.Effect.Repeatable():
		return o, false, nil
	}
	return OutcomeLost(), true, nil
}

// OutcomeLost is that of a call which may have taken place.
func OutcomeLost() tools.Outcome {
	return tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown,
		"the outcome of this call was lost: it may have taken place. Check before you repeat it")
}

// inquire asks the tool, beside a watch on its time.
func inquire(ctx context.Context, e *attempt) tools.Finding {
	if e.oracle == nil || !e.tool.Reconciles {
		return tools.Finding{Found: tools.FoundUnknown}
	}
	limited, cancel := context.WithTimeout(ctx, reconcileLimit)
	defer cancel()
	answers := usercode.Go(func() (tools.Finding, error) {
		return e.oracle.Reconcile(limited, e.in.Call.Tool, e.call)
	})
	select {
	case got := <-answers:
		if got.Err != nil {
			activity.GetLogger(ctx).Warn("reconcile failed", "tool", e.in.Call.Tool, "error", got.Err)
			return tools.Finding{Found: tools.FoundUnknown}
		}
		return got.Value
	case <-limited.Done():
		return tools.Finding{Found: tools.FoundUnknown}
	}
}
