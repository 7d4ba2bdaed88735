package activities

import (
	"context"
	"encoding/json"
	"errors"
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
	// Progress asks for partial results.
	Progress bool `json:"progress,omitempty"`
}

// grace is well under HeartbeatTimeout: beats end with the context, and a call
// that outlasts them counts as lost. It is how long a tool may take to return once its context has ended. A
// tool that ignores its context is left behind after it.
const grace = 5 * time.Second

// Execute runs one call and finalises its outcome. It returns an error only
// for what Temporal should act on: cancellation, or a worker that goes away.
func (a *Activities) Execute(ctx context.Context, in ExecuteInput) (tools.Outcome, error) {
	var begun atomic.Bool
	defer beat(ctx, func() Progress { return Progress{Begun: begun.Load()} })()
	info := activity.GetInfo(ctx)
	source, tool, ok := a.tool(in)
	if !ok {
		return tools.Fail(tools.Failed, tools.ErrNoHandler,
			fmt.Sprintf("tool %q has no executor on this worker", in.Call.Tool)), nil
	}
	call := tools.Invocation{
		RunID: info.WorkflowExecution.ID, Call: in.Call, Attempt: int(info.Attempt),
		Arguments: json.RawMessage(in.Call.Arguments), Options: in.Options,
		Effect: in.Effect, Server: in.Server, Remote: in.Remote,
		Key: tools.Key(info.WorkflowExecution.ID, in.Call.Round, in.Call.Index),
	}
	call.Progress = func(string) {}
	if in.Progress {
		report, end := a.progress.follow(ctx, in.Call)
		call.Progress = report
		defer end()
	}
	if !in.Effect.Repeatable() {
		// From here on every beat says it too: one that did not, on its way
		// while the mark is taken, would wipe it out.
		begun.Store(true)
		if err := a.begin(ctx, info); err != nil {
			return tools.Outcome{}, err
		}
	}
	started := time.Now()
	out, err := execute(ctx, source, in, call)
	if ctx.Err() != nil && err != nil {
		return tools.Outcome{}, stopped(ctx, Progress{Begun: true})
	}
	outcome := a.finalize(ctx, in.Timeout, HookCall{
		RunID: call.RunID, Call: in.Call, Descriptor: tool, Arguments: call.Arguments,
	}, out, err)
	a.hold(in.Call, outcome)
	outcome.StartedAt, outcome.EndedAt, outcome.Attempt = started.UTC(), time.Now().UTC(), call.Attempt
	return outcome, nil
}

// begin tells the server that the tool is about to be touched, and waits for
// the acknowledgement: a lost attempt that never said so did not begin.
func (a *Activities) begin(ctx context.Context, info activity.Info) error {
	err := a.engine.RecordActivityHeartbeat(ctx, info.TaskToken, Progress{Begun: true})
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

func (a *Activities) tool(in ExecuteInput) (Source, tools.Descriptor, bool) {
	source, ok := a.sources[in.Source]
	if !ok {
		return nil, tools.Descriptor{}, false
	}
	d, ok := describe(source, in)
	return source, d, ok
}

// describe is the descriptor of the tool. Those of servers were found at
// discovery: what the call needs of it is in the input.
func describe(source Source, in ExecuteInput) (tools.Descriptor, bool) {
	if in.Remote == nil {
		return source.Describe(in.Call.Tool)
	}
	return tools.Descriptor{
		Public: in.Call.Tool, Namespace: in.Call.Namespace, Type: tools.TypeMCP, Owner: tools.OwnedByGateway,
		Source: in.Source, Effect: in.Effect, Remote: in.Remote,
	}, true
}

// execute runs the tool beside a watch on its time and its context.
func execute(ctx context.Context, source Source, in ExecuteInput, call tools.Invocation) (tools.Output, error) {
	toolCtx, cancel := context.WithCancel(ctx)
	if in.Timeout > 0 {
		toolCtx, cancel = context.WithTimeoutCause(ctx, in.Timeout, errTimedOut)
	}
	defer cancel()
	type answer struct {
		out tools.Output
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		got := answer{err: errEndedGoroutine} // unless the tool returns
		defer func() { answers <- got }()
		got.out, got.err = run(toolCtx, source, in.Call.Tool, call)
	}()
	select {
	case got := <-answers:
		return got.out, timedOut(toolCtx, got.err)
	case <-toolCtx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case got := <-answers:
		return got.out, timedOut(toolCtx, got.err)
	case <-late.C:
		if errors.Is(context.Cause(toolCtx), errTimedOut) {
			return tools.Output{}, errStillRuns
		}
		return tools.Output{}, context.Cause(toolCtx)
	}
}

var (
	errTimedOut = errors.New("the tool timed out")
	// errStillRuns is the time-out of a tool that ignores its context.
	errStillRuns      = fmt.Errorf("%w and did not stop", errTimedOut)
	errEndedGoroutine = errors.New("the tool ended its goroutine without returning")
)

// timedOut names the time-out that a tool's error was caused by, wherever in
// the chain it is.
func timedOut(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimedOut) {
		return errTimedOut
	}
	return err
}
