package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
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

const (
	// maxAttempts bounds how often a call that never began is scheduled again.
	maxAttempts = 10
	// maxAsks bounds how often a tool is asked what became of a lost call.
	maxAsks = 5
)

// attempts count what was done so far to get one call executed.
type attempts struct {
	scheduled int
	// lost counts the attempts that may have taken place.
	lost int
}

// toolLimit bounds one execution of a call; 0 is no bound.
func (r *run) toolLimit(c *actions.Call) time.Duration {
	if c.Descriptor.Timeout > 0 {
		return min(c.Descriptor.Timeout, tools.MaxDuration)
	}
	return r.Request.Run.ToolTimeout.Limit()
}

// execute runs one call: where its source is open, again if its attempt was lost
// before it began, and by its effect if it was lost later.
func (r *run) execute(ctx workflow.Context, c *actions.Call) tools.Outcome {
	limit := r.toolLimit(c)
	in := activities.ExecuteInput{
		Call: c.Call, Source: c.Descriptor.Source, Server: r.server(c), Remote: c.Descriptor.Remote, Effect: c.Descriptor.Effect,
		Timeout: limit, Progress: r.Request.Run.Progress, Options: c.Descriptor.Options, Found: r.found(c),
		MaxOutput: r.outputRoom(ctx),
	}
	if g := r.Request.Run.CancelGrace.Limit(); g != contract.DefaultCancelGrace {
		in.Grace = max(g, time.Millisecond)
	}
	var done attempts
	for {
		done.scheduled++
		options := executeOptions(c, limit, done.scheduled)
		var held *openedSession
		if c.Descriptor.Scope == tools.ScopeRun {
			a, failed := r.sessionFor(ctx, c)
			if failed != nil {
				return *failed
			}
			held, in.Session, options = a, &a.Session, pin(options, a)
		}
		c.Started, in.Lost = true, done.lost
		out, err := perform(workflow.WithActivityOptions(ctx, options), acts.Execute, in)
		if held != nil && sessionLost(err) {
			r.lose(ctx, held)
		}
		if o, over := r.afterAttempt(ctx, c, &done, out, classify(err, c.Descriptor.Effect, held != nil), err); over {
			return o
		}
	}
}

// found tells whether a call of web_search names a page that web_search has
// found.
func (r *run) found(c *actions.Call) bool {
	if c.Descriptor.Source != tools.SourceWebSearch {
		return false
	}
	a, err := tools.ReadSearchArguments([]byte(c.Arguments))
	return err == nil && r.Report.HasSource(a.URL)
}

// afterAttempt says how a call ended, or that it is to be tried again.
func (r *run) afterAttempt(ctx workflow.Context, c *actions.Call, done *attempts, out tools.Outcome, class failureClass, err error) (tools.Outcome, bool) {
	switch class {
	case arrived:
		if ctx.Err() != nil {
			return droppedOutcome(out), true
		}
		return out, true
	case stoppedByRun:
		return stoppedOutcome(c, err), true
	case neverBegan:
		if never := done.scheduled - done.lost; never < maxAttempts {
			r.pauseAfter(ctx, c, never)
			return out, false
		}
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
			fmt.Sprintf("the call was not run: %d workers were lost before it began", done.scheduled)), true
	case repeatable:
		if done.lost++; done.lost < readAttempts {
			return out, false
		}
		return r.afterAttempt(ctx, c, done, out, uncertain(c.Descriptor.Effect), err)
	case mayHaveHappened:
		if c.Descriptor.Reconciles && !c.Descriptor.Effect.Repeatable() && done.lost < maxAsks {
			done.lost++
			return out, false // the tool is asked before it would run again
		}
		return activities.OutcomeLost(), true
	default:
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed, err.Error()), true
	}
}

// droppedOutcome is that of a call which ended after the run had been ended
// : the model will not read it, the trace says that it took place.
func droppedOutcome(late tools.Outcome) tools.Outcome {
	o := tools.Fail(tools.Cancelled, tools.ErrCancelled,
		fmt.Sprintf("the run was ended; the call ended afterwards (%s) and its result was dropped", late.Status))
	o.StartedAt, o.TookMS = late.StartedAt, late.TookMS
	o.Attempt, o.Changes = late.Attempt, late.Changes
	return o
}

// stoppedOutcome is that of a call which was told to stop with its run. A tool
// that did not return may still take effect.
func stoppedOutcome(c *actions.Call, err error) tools.Outcome {
	var cancelled *temporal.CanceledError
	var p activities.Heartbeat
	if errors.As(err, &cancelled) && cancelled.HasDetails() && cancelled.Details(&p) == nil && p.Left {
		return leftOutcome(c)
	}
	return cancelledOutcome()
}

// leftOutcome is that of a call whose tool ignored that it was told to stop.
func leftOutcome(c *actions.Call) tools.Outcome {
	if c.Descriptor.Effect == tools.EffectRead || !c.Started {
		return cancelledOutcome()
	}
	return tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown,
		"the run was ended and the tool did not stop: it may still take effect")
}

// pauseAfter waits before a call that never began is scheduled again: what lost
// its worker, such as a deploy or a full machine, lasts for a while. It ends
// early when the run is cancelled; the next attempt then does not begin.
func (r *run) pauseAfter(ctx workflow.Context, c *actions.Call, attempt int) {
	timer := workflow.NewTimerWithOptions(ctx, attemptPause(attempt), workflow.TimerOptions{
		Summary: summary("round %d · %s did not begin; try %d follows", c.Round, c.Tool, attempt+1),
	})
	_ = timer.Get(ctx, nil)
}

const (
	firstPause = time.Second
	longPause  = 30 * time.Second
)

// attemptPause is the pause after an attempt: doubled each time, up to longPause.
func attemptPause(attempt int) time.Duration {
	if attempt < 1 {
		return firstPause
	}
	if attempt > 5 {
		return longPause
	}
	return firstPause << (attempt - 1)
}
