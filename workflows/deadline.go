package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/contract"
)

// clientTimeout is how long a client or a person has for a call; 0 is no bound.
func (r *run) clientTimeout(c *call) time.Duration {
	if own := c.tool.ClientTimeout; own != nil {
		return *own
	}
	return r.Request.Run.ClientTimeout.Limit()
}

// limit sets the deadline of a call that waits for others. One deadline covers
// an approval and the call that it lets run.
func (r *run) limit(ctx workflow.Context, c *call) {
	if limit := r.clientTimeout(c); limit > 0 && c.expiry.IsZero() {
		c.expiry = workflow.Now(ctx).Add(limit).UTC()
	}
}

// waits tells whether a client or a person is waited for, or will be at once:
// a client's call that was just approved is about to be handed over.
func (c *call) waits() bool {
	if c.settled() {
		return false
	}
	return c.action != nil || (c.approval != nil && (!c.approval.settled || c.tool.Owner == tools.OwnedByClient))
}

// nextExpiry is the earliest deadline of the calls that are not settled and
// were, or will be, in somebody else's hands.
func (b batch) nextExpiry() (next time.Time, some bool) {
	for _, c := range b.open() {
		if (c.action != nil || c.approval != nil) && !c.expiry.IsZero() && (!some || c.expiry.Before(next)) {
			next, some = c.expiry, true
		}
	}
	return next, some
}

// watchDeadlines expires what a client or a person has not answered in time:
// one timer at a time, for the earliest deadline of the group. The returned
// function ends the watch; a met deadline leaves no timer behind.
func (r *run) watchDeadlines(ctx workflow.Context, group batch) (stop func()) {
	next, some := group.nextExpiry()
	if !some {
		return func() {}
	}
	ctx, cancel := workflow.WithCancel(ctx)
	timer := r.deadlineTimer(ctx, next)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for timer.Get(ctx, nil) == nil {
			due := group.due(next)
			// An answer that came in time counts, though it is still being vetted.
			if workflow.Await(ctx, func() bool { return !r.outside.vets(due) }) != nil {
				return
			}
			r.expireCalls(ctx, due)
			if next, some = group.nextExpiry(); !some {
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

// due are the open calls whose deadline is at or before a time. A call that was
// approved and is executed by the worker has the time-out of its tool instead.
func (b batch) due(at time.Time) batch {
	var due batch
	for _, c := range b.open() {
		if !c.expiry.IsZero() && !c.expiry.After(at) {
			due = append(due, c)
		}
	}
	return due
}

// expireCalls gives calls that nobody answered their outcome, or ends the run, as
// the run says.
func (r *run) expireCalls(ctx workflow.Context, due batch) {
	for _, c := range due {
		waited := c.waits()
		c.expiry = time.Time{}
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
func (r *run) unanswered(c *call, limit time.Duration) string {
	open := "approval " + c.approvalID()
	if c.action != nil {
		open = "action " + c.action.id
	}
	return short(fmt.Sprintf("nobody answered %s (tool %q, call %q) within %s, and run.on_client_timeout is %q",
		open, c.Identity(), c.ID, limit, contract.TimeoutFails))
}

func (c *call) approvalID() string {
	if c.approval == nil {
		return ""
	}
	return c.approval.id
}

// expiry is the deadline of the run for what waits from now on; zero is none.
func (r *run) expiry(ctx workflow.Context) (at time.Time) {
	if limit := r.Request.Run.ClientTimeout.Limit(); limit > 0 {
		at = workflow.Now(ctx).Add(limit).UTC()
	}
	return at
}
