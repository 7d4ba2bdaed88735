package workflows

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/actions"
)

// acts is never called: its method values name the activities and type their
// arguments.
var acts *activities.Activities

// perform runs an activity whose argument and result the compiler checks.
func perform[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	if ctx.Err() != nil { // nothing is scheduled for what was cancelled
		return out, temporal.NewCanceledError()
	}
	err := workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

// performLocal does the same beside the workflow task: no round trip, and the
// argument stays out of history.
func performLocal[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (Out, error) {
	var out Out
	err := workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

// Execute has no limit of its own when the tool has none; Temporal wants a
// number.
const (
	unlimited     = 365 * 24 * time.Hour
	executeMargin = 30 * time.Second
	// readAttempts bounds the repeats of a repeatable call whose workers die:
	// the call may be what kills them.
	readAttempts = 5
)

// openOptions are those of an opening. A worker that is lost meanwhile is not
// the source's fault: another one tries.
func openOptions(a *openedSession) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		ActivityID:          fmt.Sprintf("activate/%s/%d", a.Session.Source, a.Session.Epoch),
		StartToCloseTimeout: 3 * time.Minute,
		HeartbeatTimeout:    activities.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary("activate %s", a.Session.String()),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			MaximumAttempts: readAttempts,
		},
	}
}

// pin sends a call to the worker that holds its session. That worker fetches all
// that is for it at once, however busy it is: a call that nobody fetches says
// that it is gone. The run repeats the call, not the server, since it may have to
// go elsewhere.
func pin(o workflow.ActivityOptions, a *openedSession) workflow.ActivityOptions {
	o.TaskQueue = a.Queue
	o.ScheduleToStartTimeout = workerWait
	o.StartToCloseTimeout = unlimited // it may wait for its turn in the worker
	o.RetryPolicy.MaximumAttempts = 1
	return o
}

func executeOptions(c *actions.Call, limit time.Duration, try int) workflow.ActivityOptions {
	o := workflow.ActivityOptions{
		ActivityID:          fmt.Sprintf("%d/%d/execute", c.Round, c.Index),
		StartToCloseTimeout: unlimited,
		HeartbeatTimeout:    activities.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary("round %d · %s %s", c.Round, c.Tool, c.Arguments),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			MaximumAttempts: 1,
		},
	}
	if try > 1 {
		o.ActivityID = fmt.Sprintf("%s/%d", o.ActivityID, try)
	}
	if limit > 0 {
		o.StartToCloseTimeout = limit + executeMargin
	}
	if c.Descriptor.Effect.Repeatable() {
		o.RetryPolicy.MaximumAttempts = readAttempts
	}
	return o
}

// localOptions are those of prepare and discovery: pure work in the worker's
// memory, and hooks.
func localOptions(text string) workflow.LocalActivityOptions {
	return workflow.LocalActivityOptions{
		StartToCloseTimeout: time.Minute,
		Summary:             text,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumAttempts: 5,
		},
	}
}

// count names a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// maxSummary keeps what the Web UI shows of an activity on one line.
const maxSummary = 118

func summary(format string, args ...any) string {
	text := strings.Join(strings.Fields(tools.Clean(fmt.Sprintf(format, args...))), " ")
	if len(text) <= maxSummary {
		return text
	}
	cut := 0
	for i := range text {
		if i > maxSummary-len("…") {
			break
		}
		cut = i
	}
	return text[:cut] + "…"
}

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
