package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// pauseAfter waits before a call that never began is scheduled again: what lost
// its worker, such as a deploy or a full machine, lasts for a while. It ends
// early when the run is cancelled; the next try then does not begin.
func (r *run) pauseAfter(ctx workflow.Context, c *call, try int) {
	timer := workflow.NewTimerWithOptions(ctx, tryPause(try), workflow.TimerOptions{
		Summary: summary("round %d · %s did not begin; try %d follows", c.Round, c.Tool, try+1),
	})
	_ = timer.Get(ctx, nil)
}

const (
	firstPause = time.Second
	longPause  = 30 * time.Second
)

// tryPause is the pause after a try: doubled each time, up to longPause.
func tryPause(try int) time.Duration {
	if try < 1 {
		return firstPause
	}
	if try > 5 {
		return longPause
	}
	return firstPause << (try - 1)
}
