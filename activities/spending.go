package activities

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"errand/tools/item"
)

// plus adds what a failed attempt has used. It goes from attempt to attempt in
// the heartbeat: nothing else of a failed attempt reaches the next.
func (p Progress) plus(more *Spent) Progress {
	if more == nil {
		return p
	}
	var sum Spent
	if p.Spent != nil {
		sum = *p.Spent
		sum.Usage = item.Usage{}
		sum.Usage.Add(&p.Spent.Usage) // its details are shared with a beat on its way
	}
	sum.Add(*more)
	p.Spent = &sum
	return p
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
