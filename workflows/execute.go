package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

// executeAll starts the gateway-owned calls of a group, and those that wait
// for approval, each in its own coroutine. They share a sliding window; a tool
// that is not parallel-safe takes its own turn first and holds no place in the
// window while it waits (VL-16, VL-17).
func (r *run) executeAll(ctx workflow.Context, group batch) {
	window := workflow.NewSemaphore(ctx, int64(r.Request.Run.MaxParallelCalls))
	turns := map[string]workflow.Mutex{}
	room := r.room(ctx, group)
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
				if ctx.Err() != nil { // stopped in the step that approved it
					r.settle(ctx, c, r.notDone())
					return
				}
				r.handOver(ctx, batch{c})
				return
			}
			r.settle(ctx, c, r.inTurn(ctx, c, turn, window, room))
		})
	}
}

// inTurn executes a call when its turn and the window allow it.
func (r *run) inTurn(ctx workflow.Context, c *call, turn workflow.Mutex, window, room workflow.Semaphore) tools.Outcome {
	if turn != nil {
		if turn.Lock(ctx) != nil {
			return r.notDone()
		}
		defer turn.Unlock()
	}
	if window.Acquire(ctx, 1) != nil {
		return r.notDone()
	}
	defer window.Release(1)
	leave := takeRoom(ctx, room, c)
	if leave == nil {
		return cancelledOutcome()
	}
	defer leave()
	if ctx.Err() != nil || r.stopsSoon() { // between prepare and here
		return r.notDone()
	}
	if c.tool.Source == tools.SourceDelegate {
		return r.delegate(ctx, c)
	}
	return r.execute(ctx, c)
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
