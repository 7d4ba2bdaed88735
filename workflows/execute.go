package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

// executeAll starts the gateway-owned calls of a group, and those that wait
// for approval, each in its own coroutine. They share a sliding window; a tool
// that is not parallel-safe takes its own turn first and holds no place in the
// window while it waits (VL-16, VL-17).
func (r *run) executeAll(ctx workflow.Context, group batch) {
	window := workflow.NewSemaphore(ctx, int64(r.request.Run.MaxParallelCalls))
	turns := map[string]workflow.Mutex{}
	for _, c := range group.open() {
		if c.action != nil {
			continue
		}
		name := c.Identity().String()
		turn := turns[name]
		if turn == nil && !c.tool.ParallelSafe {
			turn = workflow.NewMutex(ctx)
			turns[name] = turn
		}
		workflow.Go(ctx, func(ctx workflow.Context) {
			if !r.approved(ctx, c) {
				return
			}
			if c.tool.Owner == tools.OwnedByClient {
				r.handOver(ctx, batch{c})
				return
			}
			r.settle(ctx, c, r.inTurn(ctx, c, turn, window))
		})
	}
}

// inTurn executes a call when its turn and the window allow it.
func (r *run) inTurn(ctx workflow.Context, c *call, turn workflow.Mutex, window workflow.Semaphore) tools.Outcome {
	if turn != nil {
		if turn.Lock(ctx) != nil {
			return cancelledOutcome()
		}
		defer turn.Unlock()
	}
	if window.Acquire(ctx, 1) != nil {
		return cancelledOutcome()
	}
	defer window.Release(1)
	if ctx.Err() != nil || r.stopping.soon() { // between prepare and here
		return r.notDone()
	}
	return r.execute(ctx, c)
}

// watchDeadline expires what a client or a person has not answered in time.
// The returned function ends the watch; a met deadline leaves no timer behind.
func (r *run) watchDeadline(ctx workflow.Context, group batch) (stop func()) {
	limit := r.request.Run.ClientTimeout
	if limit == 0 || !group.waitsForOthers() {
		return func() {}
	}
	ctx, cancel := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(ctx, group.expiry(workflow.Now(ctx).Add(limit)).Sub(workflow.Now(ctx)), workflow.TimerOptions{
		Summary: summary("round %d · client deadline", r.round),
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		if timer.Get(ctx, nil) != nil {
			return
		}
		for _, c := range group.open() {
			if c.action != nil || (c.approval != nil && !c.approval.settled) {
				r.settle(ctx, c, tools.Fail(tools.Expired, tools.ErrExpired,
					"nobody answered this call within "+limit.String()))
			}
		}
	})
	return cancel
}

// resting tells whether every open call is in the hands of a client or a
// person, so that nothing of this execution is under way.
func (b batch) resting() bool {
	for _, c := range b.open() {
		if c.action == nil && (c.approval == nil || c.approval.settled) {
			return false
		}
	}
	return true
}

func (b batch) waitsForOthers() bool {
	for _, c := range b {
		if !c.settled() && (c.action != nil || c.approval != nil) {
			return true
		}
	}
	return false
}

// expiry is the deadline that the group had before it came to this execution.
func (b batch) expiry(latest time.Time) time.Time {
	for _, c := range b.open() {
		if c.action != nil && c.action.expiry.Before(latest) {
			latest = c.action.expiry
		}
		if c.approval != nil && !c.approval.settled && c.approval.expiry.Before(latest) {
			latest = c.approval.expiry
		}
	}
	return latest
}

func (r *run) expiry(ctx workflow.Context) (at time.Time) {
	if limit := r.request.Run.ClientTimeout; limit > 0 {
		at = workflow.Now(ctx).Add(limit).UTC()
	}
	return at
}
