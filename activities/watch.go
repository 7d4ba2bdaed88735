package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/tools"
	"errand/workflows/contract"
)

// grace is how long a tool may take to return once its time is up, or that of
// its worker. One that ignores its context is left behind after it.
const grace = 5 * time.Second

// run runs the tool beside a watch on its time and its context.
func (e *attempt) run(ctx context.Context) (tools.Output, error) {
	toolCtx, cancel := context.WithCancel(ctx)
	if e.in.Timeout > 0 {
		toolCtx, cancel = context.WithTimeoutCause(ctx, e.in.Timeout, errTimedOut)
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
		got.out, got.err = run(toolCtx, e.source, e.in.Call.Tool, e.call)
	}()
	select {
	case got := <-answers:
		return got.out, timedOut(toolCtx, got.err)
	case <-toolCtx.Done():
	}
	late := time.NewTimer(e.grace(ctx))
	defer late.Stop()
	select {
	case got := <-answers:
		return got.out, timedOut(toolCtx, got.err)
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
		return grace
	case e.in.Grace > 0:
		return e.in.Grace
	}
	return contract.DefaultCancelGrace
}

var (
	errTimedOut = errors.New("the tool timed out")
	// errStillRuns is the time-out of a tool that ignores its context.
	errStillRuns      = fmt.Errorf("%w and did not stop", errTimedOut)
	errEndedGoroutine = errors.New("the tool ended its goroutine without returning")
	// errLeft is the end of a tool that ignores that it was told to stop.
	errLeft = errors.New("the tool was told to stop and did not")
)

// leftBehind is the progress of a call whose context ended: one that did not
// return may still take effect.
func leftBehind(err error) Progress {
	return Progress{Begun: true, Left: errors.Is(err, errLeft)}
}

// timedOut names the time-out that a tool's error was caused by, wherever in
// the chain it is.
func timedOut(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errTimedOut) {
		return errTimedOut
	}
	return err
}
