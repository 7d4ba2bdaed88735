package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
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
	if ctx.Err() != nil { // cancelled between prepare and here
		return cancelledOutcome()
	}
	return r.execute(ctx, c)
}

// maxTries bounds how often a call that never began is scheduled again.
const maxTries = 10

// execute runs one call, again if its attempt was lost before it began.
func (r *run) execute(ctx workflow.Context, c *call) tools.Outcome {
	limit := r.request.Run.ToolTimeout
	if c.tool.Timeout > 0 {
		limit = c.tool.Timeout
	}
	in := activities.ExecuteInput{
		Call: c.Call, Source: c.tool.Source, Server: r.server(c), Remote: c.tool.Remote, Effect: c.tool.Effect,
		Timeout: limit, Progress: r.request.Run.Progress, Options: c.tool.Options,
	}
	c.started = true
	for try := 1; ; try++ {
		out, err := perform(workflow.WithActivityOptions(ctx, executeOptions(c, limit, try)), acts.Execute, in)
		switch judge(err, c.tool.Effect) {
		case arrived:
			if ctx.Err() != nil {
				return droppedOutcome(out)
			}
			return out
		case stoppedByRun:
			return cancelledOutcome()
		case neverBegan:
			if try < maxTries {
				continue
			}
			return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
				fmt.Sprintf("the call was not run: %d workers were lost before it began", try))
		case mayHaveHappened:
			return tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown,
				"the outcome of this call was lost: it may have taken place. Check before you repeat it")
		default:
			return tools.Fail(tools.Failed, tools.ErrExecutionFailed, err.Error())
		}
	}
}

// droppedOutcome is that of a call which ended after the run was cancelled
// (PD-42): the model will not read it, the trace says that it took place.
func droppedOutcome(late tools.Outcome) tools.Outcome {
	o := tools.Fail(tools.Cancelled, tools.ErrCancelled,
		fmt.Sprintf("the run was cancelled; the call ended afterwards (%s) and its result was dropped", late.Status))
	o.StartedAt, o.EndedAt, o.Attempt, o.Changes = late.StartedAt, late.EndedAt, late.Attempt, late.Changes
	return o
}

// loss says what the end of an Execute activity means for its call.
type loss int

const (
	arrived loss = iota
	stoppedByRun
	neverBegan
	mayHaveHappened
	broken
)

// judge reads the error of an Execute activity. Its own failures are values;
// an error is about the machine.
func judge(err error, effect tools.Effect) loss {
	if err == nil {
		return arrived
	}
	if temporal.IsCanceledError(err) {
		return stoppedByRun
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		switch app.Type() {
		case activities.TypeNotBegun:
			return neverBegan
		case activities.TypeWorkerStopped:
			var p activities.Progress
			if app.HasDetails() && app.Details(&p) == nil && !p.Begun && !effect.Repeatable() {
				return neverBegan
			}
			return uncertain(effect)
		}
	}
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return judgeTimeout(timeout, effect)
	}
	// A fault of the machine after the tool may have run.
	return uncertain(effect)
}

func judgeTimeout(timeout *temporal.TimeoutError, effect tools.Effect) loss {
	if timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START {
		return neverBegan
	}
	if effect.Repeatable() { // the attempts at it are used up
		return uncertain(effect)
	}
	var p activities.Progress
	if timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&p) == nil && p.Begun {
		return mayHaveHappened
	}
	return neverBegan
}

// uncertain is a lost call of which nobody knows how far it got. One that only
// reads has simply failed.
func uncertain(effect tools.Effect) loss {
	if effect == tools.EffectRead {
		return broken
	}
	return mayHaveHappened
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
