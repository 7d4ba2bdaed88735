package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// tally counts the attempts at one inference by what they failed of. It goes
// from attempt to attempt in the heartbeat: Temporal's own count has the
// attempts that were lost with a worker in it, and those say nothing about the
// model.
type tally struct {
	count atomic.Pointer[Progress]
}

// newTally goes on from where the last attempt ended.
func newTally(ctx context.Context, allowed int) *tally {
	var p Progress
	if activity.HasHeartbeatDetails(ctx) {
		_ = activity.GetHeartbeatDetails(ctx, &p) // what cannot be read counts from nothing
	}
	p.Allowed = allowed
	t := &tally{}
	t.count.Store(&p)
	return t
}

func (t *tally) progress() Progress { return *t.count.Load() }

// note records a count before its error is returned: the SDK sends it first.
func (t *tally) note(ctx context.Context, p Progress) {
	t.count.Store(&p)
	activity.RecordHeartbeat(ctx, p)
}

// unread is the error of an attempt that could not read the run. The context's
// end comes first, here and below: it is what failed the rest.
func (t *tally) unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stopped(ctx, t.progress())
	}
	p := t.progress()
	p.Unread++
	t.note(ctx, p)
	return temporal.NewApplicationErrorWithOptions(cut("the model was not asked: "+err.Error()), TypeNotAsked,
		temporal.ApplicationErrorOptions{NonRetryable: p.Unread >= unreadAttempts, Details: []any{p}})
}

// refused is the error of an attempt that the model failed, by its class, after
// it had used so much.
func (t *tally) refused(ctx context.Context, err error, used *Spent) error {
	p := t.progress().plus(used)
	if ctx.Err() != nil {
		return stopped(ctx, p)
	}
	var refusal *ModelError
	said := errors.As(err, &refusal)
	if said && refusal.contextExceeded() {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeContextExceeded, nil, p)
	}
	if said && refusal.Permanent {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeModelRejected, nil, p)
	}
	p.Refused++
	t.note(ctx, p)
	options := temporal.ApplicationErrorOptions{NonRetryable: p.Allowed > 0 && p.Refused >= p.Allowed, Details: []any{p}}
	if !said {
		return temporal.NewApplicationErrorWithOptions(cut(err.Error()), TypeModelUnavailable, options)
	}
	options.NextRetryDelay = min(refusal.RetryAfter, time.Hour)
	return temporal.NewApplicationErrorWithOptions(cut(refusal.Error()), TypeModelUnavailable, options)
}
