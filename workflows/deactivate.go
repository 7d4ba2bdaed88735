package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
)

// deactivateAll closes what is open. It does not wait for workers that were
// lost: one that lives closes what it holds once it learns that the run is over.
func (c *cleanup) deactivateAll(ctx workflow.Context) {
	for _, e := range c.entries {
		if !c.open(e) {
			continue
		}
		e.closing = true
		workflow.Go(ctx, func(ctx workflow.Context) { e.deactivate(ctx, workerWait) })
	}
	_ = workflow.Await(ctx, func() bool {
		return !slices.ContainsFunc(c.entries, func(e *entry) bool { return e.closing && !e.closed && !e.lost })
	})
	letOthersRun(ctx) // what has come in this step is to be closed too
	if c.someOpen() {
		c.deactivateAll(ctx)
	}
}

func (c *cleanup) someOpen() bool { return slices.ContainsFunc(c.entries, c.open) }

// open tells whether nobody has begun to close a session that may be open.
func (c *cleanup) open(e *entry) bool {
	return !e.closing && (c.order == nil || !slices.Contains(c.order.Failed, e.Session))
}

const (
	// workerWait is how long a worker may take to fetch what is for it alone.
	// After that it counts as lost.
	workerWait = 10 * time.Second
	// lostWait is for a worker that counts as lost already.
	lostWait = 10 * time.Minute
	// maxCloses bounds the attempts at closing a session. With two of them a run
	// that ends still hears of it within releaseLimit.
	maxCloses = 2
)

func (e *entry) deactivate(ctx workflow.Context, wait time.Duration) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              e.Queue,
		ScheduleToStartTimeout: wait,
		StartToCloseTimeout:    30 * time.Second,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		Summary:                summary("deactivate %s", e.Session.String()),
		// A server that ends can lose the answer in which it hands a task out: the
		// worker has never seen it. Closing bears repeating.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: maxCloses},
	})
	out, err := perform(ctx, acts.CloseSession, e.Session)
	e.closed = true
	switch {
	case err != nil:
		e.err = fmt.Sprintf("the worker that held it (%s) did not answer", e.Queue)
	default:
		e.found, e.err = out.Closed, out.Error
	}
}
