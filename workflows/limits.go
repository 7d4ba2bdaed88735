package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/budget"
	"errand/workflows/contract"
)

// requestBudget asks for a larger budget and waits for it. It is false when
// there is none to be had: the request does not ask, somebody declined, nobody
// answered in time, or the run was cancelled. An ending is that of a run which
// leaves this execution meanwhile.
func (r *run) requestBudget(ctx workflow.Context, reason string) (extended bool, leaving *ending) {
	if r.Request.Run.OnBudget != contract.BudgetAsk {
		return false, nil
	}
	if r.Budget.Asking == nil {
		r.Budget.Asking = &budget.Question{Reason: reason, Expiry: r.expiry(ctx)}
		r.refresh(ctx)
		r.record(ctx, contract.Event{Type: contract.EventBudgetAsked, Reason: reason})
	}
	q := r.Budget.Asking
	open := func() bool { return !q.Answered && !r.stopAsked() }
	stop := r.expire(ctx, q)
	defer stop()
	for open() && ctx.Err() == nil { // Await looks at its condition first
		if workflow.Await(ctx, func() bool { return !open() || r.due(ctx) }) != nil {
			return false, nil
		}
		if !open() {
			break
		}
		if end := r.leave(ctx, open); end != nil {
			return false, end
		}
	}
	extended = q.Extended && ctx.Err() == nil
	r.closeQuestion(ctx)
	return extended, nil
}

// closeQuestion takes the question back.
func (r *run) closeQuestion(ctx workflow.Context) {
	if r.Budget.Asking != nil {
		r.Budget.Asking = nil
		r.refresh(ctx)
	}
}

// expire closes a question that nobody has answered by the client's deadline.
// The returned function ends the watch and leaves no timer behind.
func (r *run) expire(ctx workflow.Context, q *budget.Question) (stop func()) {
	if q.Expiry.IsZero() {
		return func() {}
	}
	ctx, cancel := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(ctx, q.Expiry.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: "deadline for a larger budget"})
	workflow.Go(ctx, func(ctx workflow.Context) {
		if timer.Get(ctx, nil) == nil {
			q.Answered = true
		}
	})
	return cancel
}

// checkExtend decides about a larger budget. It may come before the run asks.
func (r *run) checkExtend(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var e contract.Extend
	if err := readObject(payload.Payload().GetData(), &e); err != nil {
		return nil, err
	}
	if err := r.Budget.Check(e, r.Request.Run); err != nil {
		return nil, err
	}
	if e.Decline {
		return func(ctx workflow.Context) contract.Receipt { return r.decline(ctx, e) }, nil
	}
	return func(ctx workflow.Context) contract.Receipt { return r.extend(ctx, e) }, nil
}

// extend sets the new limits. A run that asks goes on if it may now: otherwise
// it asks again.
func (r *run) extend(ctx workflow.Context, e contract.Extend) contract.Receipt {
	if !budget.Raise(&r.Request.Run, e) {
		return contract.Receipt{ID: contract.ExtendBudget, Status: statusExtended, Repeated: true}
	}
	r.record(ctx, contract.Event{Type: contract.EventBudgetSettled, Status: statusExtended, Actor: short(e.Actor), Reason: short(e.Reason)})
	r.Budget.Answer(true)
	return contract.Receipt{ID: contract.ExtendBudget, Status: statusExtended}
}

func (r *run) decline(ctx workflow.Context, e contract.Extend) contract.Receipt {
	r.record(ctx, contract.Event{Type: contract.EventBudgetSettled, Status: statusDeclined, Actor: short(e.Actor), Reason: short(e.Reason)})
	r.Budget.Answer(false)
	return contract.Receipt{ID: contract.ExtendBudget, Status: statusDeclined}
}

const (
	statusExtended = "extended"
	statusDeclined = "declined"
)

// clientTimeout is how long a client or a person has for a call; 0 is no bound.
func (r *run) clientTimeout(c *actions.Call) time.Duration {
	if own := c.Descriptor.ClientTimeout; own != nil {
		return *own
	}
	return r.Request.Run.ClientTimeout.Limit()
}

// limit sets the deadline of a call that waits for others. One deadline covers
// an approval and the call that it lets run.
func (r *run) limit(ctx workflow.Context, c *actions.Call) {
	if limit := r.clientTimeout(c); limit > 0 && c.Expiry.IsZero() {
		c.Expiry = workflow.Now(ctx).Add(limit).UTC()
	}
}

// watchDeadlines expires what a client or a person has not answered in time:
// one timer at a time, for the earliest deadline of the group. The returned
// function ends the watch; a met deadline leaves no timer behind.
func (r *run) watchDeadlines(ctx workflow.Context, group actions.Batch) (stop func()) {
	next, some := group.NextExpiry()
	if !some {
		return func() {}
	}
	ctx, cancel := workflow.WithCancel(ctx)
	timer := r.deadlineTimer(ctx, next)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for timer.Get(ctx, nil) == nil {
			due := group.Due(next)
			// An answer that came in time counts, though it is still being validated.
			if workflow.Await(ctx, func() bool { return !r.validating.Any(due) }) != nil {
				return
			}
			r.expireCalls(ctx, due)
			if next, some = group.NextExpiry(); !some {
				return
			}
			timer = r.deadlineTimer(ctx, next)
		}
	})
	return cancel
}

func (r *run) deadlineTimer(ctx workflow.Context, at time.Time) workflow.Future {
	return workflow.NewTimerWithOptions(ctx, at.Sub(workflow.Now(ctx)), workflow.TimerOptions{
		Summary: summary("round %d · client deadline", r.Round),
	})
}

// expireCalls gives calls that nobody answered their outcome, or ends the run, as
// the run says.
func (r *run) expireCalls(ctx workflow.Context, due actions.Batch) {
	for _, c := range due {
		waited := c.Waits()
		c.Expiry = time.Time{}
		if !waited {
			continue
		}
		limit := r.clientTimeout(c)
		if r.Request.Run.OnClientTimeout == contract.TimeoutFails && r.failed == nil {
			r.failed = &contract.RunError{Code: contract.ErrLimitExceeded, Message: r.unanswered(c, limit)}
		}
		r.settle(ctx, c, tools.Fail(tools.Expired, tools.ErrExpired, "nobody answered this call within "+limit.String()))
	}
	if r.failed != nil {
		r.abandon()
	}
}

// unanswered says which call nobody answered, and why that ends the run.
func (r *run) unanswered(c *actions.Call, limit time.Duration) string {
	open := ""
	switch {
	case c.Action != nil:
		open = "action " + c.Action.ID
	case c.Approval != nil:
		open = "approval " + c.Approval.ID
	}
	return short(fmt.Sprintf("nobody answered %s (tool %q, call %q) within %s, and run.on_client_timeout is %q",
		open, c.Identity(), c.ID, limit, contract.TimeoutFails))
}

// expiry is the deadline of the run for what waits from now on; zero is none.
func (r *run) expiry(ctx workflow.Context) (at time.Time) {
	if limit := r.Request.Run.ClientTimeout.Limit(); limit > 0 {
		at = workflow.Now(ctx).Add(limit).UTC()
	}
	return at
}
