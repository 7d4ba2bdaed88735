package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/activities/model"
	"errand/tools/item"
)

// attemptCounter counts the attempts at one inference by what they failed of. It goes
// from attempt to attempt in the heartbeat: Temporal's own count has the
// attempts that were lost with a worker in it, and those say nothing about the
// model.
type attemptCounter struct {
	last atomic.Pointer[Heartbeat]
}

// newAttemptCounter goes on from where the last attempt ended.
func newAttemptCounter(ctx context.Context, allowed int) *attemptCounter {
	var p Heartbeat
	if activity.HasHeartbeatDetails(ctx) {
		_ = activity.GetHeartbeatDetails(ctx, &p) // what cannot be read counts from nothing
	}
	p.Allowed = allowed
	c := &attemptCounter{}
	c.last.Store(&p)
	return c
}

func (c *attemptCounter) heartbeat() Heartbeat { return *c.last.Load() }

// note records a count before its error is returned: the SDK sends it first.
func (c *attemptCounter) note(ctx context.Context, p Heartbeat) {
	c.last.Store(&p)
	activity.RecordHeartbeat(ctx, p)
}

// unread is the error of an attempt that could not read the run. The context's
// end comes first, here and below: it is what failed the rest.
func (c *attemptCounter) unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx, c.heartbeat())
	}
	p := c.heartbeat()
	p.Unread++
	c.note(ctx, p)
	return temporal.NewApplicationErrorWithOptions(cut("the model was not asked: "+err.Error()), TypeNotAsked,
		temporal.ApplicationErrorOptions{NonRetryable: p.Unread >= unreadAttempts, Details: []any{p}})
}

// refused is the error of an attempt that the model failed, by its class, after
// it had used so much.
func (c *attemptCounter) refused(ctx context.Context, err error, used *model.Spent) error {
	p := c.heartbeat().plus(used)
	if ctx.Err() != nil {
		return stopped(ctx, p)
	}
	var refusal *model.Error
	said := errors.As(err, &refusal)
	if said && refusal.ContextExceeded() {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeContextExceeded, nil, p)
	}
	if said && refusal.Permanent {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeModelRejected, nil, p)
	}
	p.Refused++
	c.note(ctx, p)
	options := temporal.ApplicationErrorOptions{NonRetryable: p.Allowed > 0 && p.Refused >= p.Allowed, Details: []any{p}}
	if !said {
		return temporal.NewApplicationErrorWithOptions(cut(err.Error()), TypeModelUnavailable, options)
	}
	options.NextRetryDelay = min(refusal.RetryAfter, time.Hour)
	return temporal.NewApplicationErrorWithOptions(cut(refusal.Error()), TypeModelUnavailable, options)
}

// plus adds what a failed attempt has used. It goes from attempt to attempt in
// the heartbeat: nothing else of a failed attempt reaches the next.
func (p Heartbeat) plus(more *model.Spent) Heartbeat {
	p.Spent = p.Spent.Plus(more)
	return p
}

// usageOf is what a failed inference has used, nil where nobody said.
func usageOf(err error) *item.Usage {
	var refusal *model.Error
	if errors.As(err, &refusal) {
		return refusal.Usage
	}
	return nil
}

// withDetails adds the counts to an error of this package's own.
func withDetails(err error, p Heartbeat) error {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || p.Spent == nil {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(app.Message(), app.Type(), temporal.ApplicationErrorOptions{
		NonRetryable: app.NonRetryable(), Details: []any{p},
	})
}

// priced tells whether the price of a model is known.
func (a *Activities) priced(model string) bool {
	if a.price == nil {
		return false
	}
	_, known := a.price(model)
	return known
}

// spent prices a usage; nil is none reported.
func (a *Activities) spent(name string, u *item.Usage) *model.Spent {
	if u == nil {
		return nil
	}
	s := &model.Spent{Usage: *u}
	if a.priced(name) {
		price, _ := a.price(name)
		cost := price.Of(*u)
		s.Cost = &cost
	}
	return s
}
