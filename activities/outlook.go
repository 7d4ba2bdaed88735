package activities

import (
	"context"
	"errors"

	"go.temporal.io/api/serviceerror"
)

// OutlookInput asks about a run whose Cleanup was told to end.
type OutlookInput struct {
	Activation Activation `json:"activation"`
	// Successor is the id of the Cleanup that would take over.
	Successor string `json:"successor"`
}

// OutlookResult says what a Cleanup has to do.
type OutlookResult struct {
	// Ended is true when no run of the chain is open any more.
	Ended bool `json:"ended,omitempty"`
	// Relieved is true when the successor is there.
	Relieved bool `json:"relieved,omitempty"`
}

// Outlook tells whether a run's chain goes on, and who cleans up after it.
func (a *Activities) Outlook(ctx context.Context, in OutlookInput) (OutlookResult, error) {
	_, err := a.engine.DescribeWorkflowExecution(ctx, in.Successor, "")
	var gone *serviceerror.NotFound
	switch {
	case err == nil:
		return OutlookResult{Relieved: true}, nil
	case !errors.As(err, &gone):
		return OutlookResult{}, err
	}
	return OutlookResult{Ended: !a.goesOn(ctx, in.Activation)}, nil
}
