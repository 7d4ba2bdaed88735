package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

const (
	// maxInFlight bounds the arguments of the calls that run at the same time, in
	// bytes as they are stored. A server takes 4 MiB of commands at once, and
	// those of prepare can be among them.
	maxInFlight = 2 << 20
	// minOutput is what a call may always return.
	minOutput = 16 << 10
)

// room is what the calls of a group share while they run: nil unless their
// arguments are so large that they must not all be scheduled at once.
func (r *run) room(ctx workflow.Context, group batch) workflow.Semaphore {
	size := 0
	for _, c := range group.open() {
		size += storedSize(c)
	}
	if size <= maxInFlight {
		return nil
	}
	return workflow.NewSemaphore(ctx, maxInFlight)
}

// takeRoom waits until a call's arguments fit beside those that run, and
// returns what gives the room back; nil when the run was stopped.
func takeRoom(ctx workflow.Context, room workflow.Semaphore, c *call) func() {
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
func storedSize(c *call) int {
	const overhead = 1 << 10
	size := len(c.Arguments) + overhead
	for i := range len(c.Arguments) {
		if b := c.Arguments[i]; b == '"' || b == '\\' {
			size++
		}
	}
	return size
}

// outputRoom bounds the output of a call, so that those of a large batch stay
// within what a history takes together; 0 is no bound but the common one.
func (r *run) outputRoom(ctx workflow.Context) int {
	open := max(1, len(r.running.open()))
	each := max(0, tooManyBytes-workflow.GetInfo(ctx).GetCurrentHistorySize()) / open
	switch {
	case r.Report.Stored > 0 && each >= mayStayInside:
		return r.shareOfState()
	case each < tools.MaxOutput:
		return max(each, minOutput)
	}
	return 0
}

// mayStayInside is the largest payload that can enter a history although the
// workers have external storage. What is larger takes next to nothing there.
const mayStayInside = 256 << 10
