package bench

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"
)

// BareWindow executes calls of the slow tool through a window, and does nothing
// else: what the server and the SDK cost.
func BareWindow(ctx workflow.Context, calls, width int) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var do *minimalActivities
	window := workflow.NewSemaphore(ctx, int64(width))
	ended := workflow.NewWaitGroup(ctx)
	ended.Add(calls)
	var fault error
	for range calls {
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer ended.Done()
			if err := window.Acquire(ctx, 1); err != nil {
				fault = err
				return
			}
			defer window.Release(1)
			if err := workflow.ExecuteActivity(ctx, do.Wait).Get(ctx, nil); err != nil {
				fault = err
			}
		})
	}
	ended.Wait(ctx)
	return fault
}

// Wait is the slow tool as a bare activity.
func (a *minimalActivities) Wait(ctx context.Context) error { return takeTime(ctx) }
