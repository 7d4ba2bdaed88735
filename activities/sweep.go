package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/worker"
)

// The functions here are for the worker that holds the sessions. They are not
// methods: those of Activities are all registered as activities.

// sweepEvery is how often a worker asks whether the runs whose sessions it holds
// still go on.
const sweepEvery = 30 * time.Second

// Sweep closes sessions of runs that have ended, until ctx ends. Cleanup has
// done so long before, but for what nobody told it in time: a session that was
// opened while its run was terminated, or whose worker seemed lost and was not.
func Sweep(ctx context.Context, a *Activities) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.sweep(ctx)
		}
	}
}

func (a *Activities) sweep(ctx context.Context) {
	var wg sync.WaitGroup
	for key := range a.own.holder.all() {
		if a.goesOn(ctx, key) {
			continue
		}
		wg.Go(func() { _, _ = a.own.holder.close(ctx, key) })
	}
	wg.Wait()
}

// goesOn tells whether a later run of the chain is still open. When in doubt it
// is.
func (a *Activities) goesOn(ctx context.Context, key Activation) bool {
	limited, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	answer, err := a.engine.DescribeWorkflowExecution(limited, key.RunID, "")
	if err != nil {
		var gone *serviceerror.NotFound
		return !errors.As(err, &gone)
	}
	latest := answer.GetWorkflowExecutionInfo()
	other := latest.GetFirstRunId() != "" && latest.GetFirstRunId() != key.Chain
	return latest.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING && !other
}

// Halt ends what still runs: the worker has no more time. Each call is reported
// by how far it got, and never as cancelled by its run.
func Halt(a *Activities) { a.own.stop(worker.ErrWorkerShutdown) }

// CloseAll closes every session of a worker that stops, and tells the Cleanup of
// each, so that nobody waits for this worker.
func CloseAll(ctx context.Context, a *Activities) {
	a.own.holder.shutDown()
	var wg sync.WaitGroup
	for key, cleanup := range a.own.holder.all() {
		wg.Go(func() {
			closed, err := a.own.holder.close(ctx, key)
			if !closed {
				return
			}
			held := Held{Activation: key, Queue: a.own.queue}
			if err != nil {
				held.Error = cut(err.Error())
			}
			_ = a.engine.SignalWorkflow(ctx, cleanup, "", SignalClosed, held)
			_ = a.engine.SignalWorkflow(ctx, key.RunID, "", SignalClosed, held)
		})
	}
	wg.Wait()
}
