package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// TypeRunStops is the error type of a Prepare that saw its run being cancelled.
const TypeRunStops = "RunStops"

// foreseeEvery is how often a long Prepare looks whether its run was cancelled.
const foreseeEvery = time.Second

var errRunStops = errors.New("the run is being cancelled")

// untilRunStops is a context that ends when somebody cancels the run. Prepare is
// a local activity: the workflow itself hears of a cancel only after it, so hooks
// that take long would hold it up. A prepare under a second asks nothing.
func (a *Activities) untilRunStops(ctx context.Context) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	run := activity.GetInfo(ctx).WorkflowExecution
	go func() {
		ticker := time.NewTicker(foreseeEvery)
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
