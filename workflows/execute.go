package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/actions"
)

// executeAll starts the gateway-owned calls of a group, and those that wait
// for approval, each in its own coroutine. They share a sliding window; a tool
// that is not parallel-safe takes its own turn first and holds no place in the
// window while it waits.
func (r *run) executeAll(ctx workflow.Context, group actions.Batch) {
	window := workflow.NewSemaphore(ctx, int64(r.Request.Run.MaxParallelCalls))
	turns := map[string]workflow.Mutex{}
	room := r.room(ctx, group)
	for _, c := range group.Open() {
		if c.Action != nil {
			continue
		}
		name := c.Identity().String()
		turn := turns[name]
		if turn == nil && !c.Descriptor.ParallelSafe {
			turn = workflow.NewMutex(ctx)
			turns[name] = turn
		}
		workflow.Go(ctx, func(ctx workflow.Context) {
			if !r.approved(ctx, c) {
				return
			}
			if c.Descriptor.Owner == tools.OwnedByClient {
				if ctx.Err() != nil { // stopped in the step that approved it
					r.settle(ctx, c, r.notDone())
					return
				}
				r.handOver(ctx, actions.Batch{c})
				return
			}
			r.settle(ctx, c, r.inTurn(ctx, c, turn, window, room))
		})
	}
}

// inTurn executes a call when its turn and the window allow it.
func (r *run) inTurn(ctx workflow.Context, c *actions.Call, turn workflow.Mutex, window, room workflow.Semaphore) tools.Outcome {
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
	if c.Descriptor.Source == tools.SourceDelegate {
		return r.delegate(ctx, c)
	}
	return r.execute(ctx, c)
}

// maxInFlight bounds the arguments of the calls that run at the same time, in
// bytes as they are stored. A server takes 4 MiB of commands at once, and those
// of prepare can be among them.
const maxInFlight = 2 << 20

// room is what the calls of a group share while they run: nil unless their
// arguments are so large that they must not all be scheduled at once.
func (r *run) room(ctx workflow.Context, group actions.Batch) workflow.Semaphore {
	size := 0
	for _, c := range group.Open() {
		size += storedSize(c)
	}
	if size <= maxInFlight {
		return nil
	}
	return workflow.NewSemaphore(ctx, maxInFlight)
}

// takeRoom waits until a call's arguments fit beside those that run, and
// returns what gives the room back; nil when the run was stopped.
func takeRoom(ctx workflow.Context, room workflow.Semaphore, c *actions.Call) func() {
	if room == nil {
		return func() {}
	}
	size := int64(min(storedSize(c), maxInFlight))
	if room.Acquire(ctx, size) != nil {
		return nil
	}
	return func() { room.Release(size) }
}

// storedSize is about what a call takes in the input of its activity: its
// arguments are JSON in JSON.
func storedSize(c *actions.Call) int {
	const overhead = 1 << 10
	size := len(c.Arguments) + overhead
	for i := range len(c.Arguments) {
		if b := c.Arguments[i]; b == '"' || b == '\\' {
			size++
		}
	}
	return size
}
