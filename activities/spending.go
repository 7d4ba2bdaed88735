package activities

import (
	"context"
	"errors"
	"sync/atomic"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/tools/item"
)

// spending is what the failed attempts at one inference have used. It goes
// from attempt to attempt in the heartbeat: nothing else of a failed attempt
// reaches the next.
type spending struct{ sum atomic.Pointer[Spent] }

// spendingOf takes over what earlier attempts have used.
func spendingOf(ctx context.Context) *spending {
	s := &spending{}
	var before Progress
	if activity.HasHeartbeatDetails(ctx) && activity.GetHeartbeatDetails(ctx, &before) == nil && before.Spent != nil {
		s.sum.Store(before.Spent)
	}
	return s
}

// progress is the heartbeat of an attempt.
func (s *spending) progress() Progress { return Progress{Spent: s.sum.Load()} }

// wasted counts what this attempt has used and failed with. Telling the server
// is worth one try: the figure is lost with the worker at worst.
func (a *Activities) wasted(ctx context.Context, s *spending, model string, used *item.Usage) {
	more := a.spent(model, used)
	if more == nil {
		return
	}
	var sum Spent
	if before := s.sum.Load(); before != nil {
		sum = *before
		sum.Usage = item.Usage{}
		sum.Usage.Add(&before.Usage) // its details are shared with a beat on its way
	}
	sum.Add(*more)
	s.sum.Store(&sum)
	if err := a.engine.RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken, s.progress()); err != nil {
		activity.GetLogger(ctx).Warn("the usage of a failed inference was not recorded", "error", err)
	}
}

// usageOf is what a failed inference has used, nil where nobody said.
func usageOf(err error) *item.Usage {
	var refusal *ModelError
	if errors.As(err, &refusal) {
		return refusal.Usage
	}
	return nil
}

// withDetails adds the progress to an error of this package's own.
func withDetails(err error, p Progress) error {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || p.Spent == nil {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(app.Message(), app.Type(), temporal.ApplicationErrorOptions{
		NonRetryable: app.NonRetryable(), Details: []any{p},
	})
}
