package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// lastWait waits for what was told to stop, at most for the run's grace. It tells
// whether that came to its end.
func (r *run) lastWait(detached workflow.Context, over func() bool) bool {
	letOthersRun(detached) // what only has to be told ends at once
	if over() {
		return true
	}
	timed, stop := workflow.WithCancel(detached)
	defer stop() // the timer of an Await would stay otherwise
	_, _ = workflow.AwaitWithOptions(timed, workflow.AwaitOptions{
		Timeout:      max(r.Request.Run.CancelGrace.Limit(), time.Millisecond),
		TimerOptions: workflow.TimerOptions{Summary: "cancel grace"},
	}, over)
	return over()
}

// letOthersRun gives every other coroutine its turn.
func letOthersRun(ctx workflow.Context) {
	turns := 0
	_ = workflow.Await(ctx, func() bool { turns++; return turns > 1 })
}

// performUntil runs an activity as perform does. Once ctx is cancelled it waits
// for the activity's end no longer than the run's grace.
func performUntil[In, Out any](ctx workflow.Context, r *run, activity func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	if ctx.Err() != nil {
		return out, temporal.NewCanceledError()
	}
	future := workflow.ExecuteActivity(ctx, activity, in)
	if workflow.Await(ctx, future.IsReady) != nil {
		detached, _ := workflow.NewDisconnectedContext(ctx)
		if !r.lastWait(detached, future.IsReady) {
			return out, temporal.NewCanceledError()
		}
	}
	return out, future.Get(ctx, &out)
}

// awaitCancel waits for a cancel request that a worker has seen coming. It does
// not wait for ever: after a reset the request may have been another run's.
func awaitCancel(ctx workflow.Context) {
	_, _ = workflow.AwaitWithTimeout(ctx, workerWait, func() bool { return false })
}
