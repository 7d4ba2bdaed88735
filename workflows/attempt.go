package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

const (
	// maxTries bounds how often a call that never began is scheduled again.
	maxTries = 10
	// maxAsks bounds how often a tool is asked what became of a lost call.
	maxAsks = 5
)

// effort is what was done so far to get one call executed.
type effort struct {
	tries int
	// lost counts the attempts that may have taken place.
	lost int
}

// toolLimit bounds one execution of a call; 0 is no bound.
func (r *run) toolLimit(c *call) time.Duration {
	if c.tool.Timeout > 0 {
		return min(c.tool.Timeout, tools.MaxDuration)
	}
	return r.Request.Run.ToolTimeout.Limit()
}

// execute runs one call: where its source is open, again if its attempt was lost
// before it began, and by its effect if it was lost later.
func (r *run) execute(ctx workflow.Context, c *call) tools.Outcome {
	limit := r.toolLimit(c)
	in := activities.ExecuteInput{
		Call: c.Call, Source: c.tool.Source, Server: r.server(c), Remote: c.tool.Remote, Effect: c.tool.Effect,
		Timeout: limit, Progress: r.Request.Run.Progress, Options: c.tool.Options, Found: r.found(c),
		MaxOutput: r.outputRoom(ctx),
	}
	if g := r.Request.Run.CancelGrace.Limit(); g != contract.DefaultCancelGrace {
		in.Grace = max(g, time.Millisecond)
	}
	var e effort
	for {
		e.tries++
		options := executeOptions(c, limit, e.tries)
		var held *activation
		if c.tool.Scope == tools.ScopeRun {
			a, failed := r.activate(ctx, c)
			if failed != nil {
				return *failed
			}
			held, in.Session, options = a, &a.Session, pin(options, a)
		}
		c.started, in.Lost = true, e.lost
		out, err := perform(workflow.WithActivityOptions(ctx, options), acts.Execute, in)
		if held != nil && sessionLost(err) {
			r.lose(ctx, held)
		}
		if o, over := r.verdict(ctx, c, &e, out, judge(err, c.tool.Effect, held != nil), err); over {
			return o
		}
	}
}

// verdict says how a call ended, or that it is to be tried again.
func (r *run) verdict(ctx workflow.Context, c *call, e *effort, out tools.Outcome, l loss, err error) (tools.Outcome, bool) {
	switch l {
	case arrived:
		if ctx.Err() != nil {
			return droppedOutcome(out), true
		}
		return out, true
	case stoppedByRun:
		return stoppedOutcome(c, err), true
	case neverBegan:
		if never := e.tries - e.lost; never < maxTries {
			r.pauseAfter(ctx, c, never)
			return out, false
		}
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
			fmt.Sprintf("the call was not run: %d workers were lost before it began", e.tries)), true
	case repeatable:
		if e.lost++; e.lost < readAttempts {
			return out, false
		}
		return r.verdict(ctx, c, e, out, uncertain(c.tool.Effect), err)
	case mayHaveHappened:
		if c.tool.Reconciles && !c.tool.Effect.Repeatable() && e.lost < maxAsks {
			e.lost++
			return out, false // the tool is asked before it would run again
		}
		return activities.OutcomeLost(), true
	default:
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed, err.Error()), true
	}
}

// droppedOutcome is that of a call which ended after the run had been ended
// (PD-42): the model will not read it, the trace says that it took place.
func droppedOutcome(late tools.Outcome) tools.Outcome {
	o := tools.Fail(tools.Cancelled, tools.ErrCancelled,
		fmt.Sprintf("the run was ended; the call ended afterwards (%s) and its result was dropped", late.Status))
	o.StartedAt, o.TookMS = late.StartedAt, late.TookMS
	o.Attempt, o.Changes = late.Attempt, late.Changes
	return o
}

// stoppedOutcome is that of a call which was told to stop with its run. A tool
// that did not return may still take effect.
func stoppedOutcome(c *call, err error) tools.Outcome {
	var cancelled *temporal.CanceledError
	var p activities.Heartbeat
	if errors.As(err, &cancelled) && cancelled.HasDetails() && cancelled.Details(&p) == nil && p.Left {
		return leftOutcome(c)
	}
	return cancelledOutcome()
}

// leftOutcome is that of a call whose tool ignored that it was told to stop.
func leftOutcome(c *call) tools.Outcome {
	if c.tool.Effect == tools.EffectRead || !c.started {
		return cancelledOutcome()
	}
	return tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown,
		"the run was ended and the tool did not stop: it may still take effect")
}
