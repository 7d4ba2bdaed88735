package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// TypeWorkerStopped is the error type of an activity whose worker was stopped.
// It is never mistaken for a cancelled run.
const TypeWorkerStopped = "WorkerStopped"

// shutdown is the end of the worker, for its activities.
type shutdown struct {
	// stopping ends when the worker has no more time for what it is doing.
	stopping context.Context
	stop     context.CancelCauseFunc
}

func newShutdown() shutdown {
	stopping, stop := context.WithCancelCause(context.Background())
	return shutdown{stopping, stop}
}

// ends is a context that also ends when the worker stops.
func (s shutdown) ends(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(s.stopping, func() { cancel(context.Cause(s.stopping)) })
	return ctx, func() {
		unhook()
		cancel(nil)
	}
}

// Halt ends what still runs: the worker has no more time. Each call is reported
// by how far it got, and never as cancelled by its run. It is no method: those of
// Activities are all registered as activities.
func Halt(a *Activities) { a.shutdown.stop(worker.ErrWorkerShutdown) }

// stopped turns the end of an activity's context into the error that Temporal
// should see: the cancellation itself, or that this worker goes away and how
// far it got.
func stopped(ctx context.Context, p Heartbeat) error {
	if workerStops(ctx) {
		return temporal.NewApplicationError("the worker was stopped", TypeWorkerStopped, p)
	}
	if p.Left {
		return temporal.NewCanceledError(p)
	}
	return ctx.Err()
}

func workerStops(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), worker.ErrWorkerShutdown)
}

// TypeRunStops is the error type of a Prepare that saw its run being cancelled.
const TypeRunStops = "RunStops"

// cancelCheckEvery is how often a long Prepare looks whether its run was cancelled.
const cancelCheckEvery = time.Second

var errRunStops = errors.New("the run is being cancelled")

// watchCancel is a context that ends when somebody cancels the run. Prepare is
// a local activity: the workflow itself hears of a cancel only after it, so hooks
// that take long would hold it up. A prepare under a second asks nothing.
func (a *Activities) watchCancel(ctx context.Context) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	run := activity.GetInfo(ctx).WorkflowExecution
	go func() {
		ticker := time.NewTicker(cancelCheckEvery)
		defer ticker.Stop()
		for {
			select {
			case <-watched.Done():
				return
			case <-ticker.C:
			}
			answer, err := a.engine.DescribeWorkflowExecution(watched, run.ID, run.RunID)
			if err != nil {
				continue
			}
			if answer.GetWorkflowExtendedInfo().GetCancelRequested() ||
				answer.GetWorkflowExecutionInfo().GetStatus() > enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				cancel(errRunStops)
			}
		}
	}()
	return watched, func() { cancel(nil) }
}

func stoppedPreparing(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errRunStops) {
		return temporal.NewNonRetryableApplicationError(errRunStops.Error(), TypeRunStops, nil)
	}
	return ctx.Err()
}
