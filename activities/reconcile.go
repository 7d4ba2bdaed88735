package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/tools"
)

// reconcileLimit bounds the question what became of a lost attempt.
const reconcileLimit = 30 * time.Second

// reconcile asks what became of the attempts before this one. The call is
// settled when it was done, or when nobody knows and it must not be repeated.
func (a *Activities) reconcile(ctx context.Context, e *attempt) (o tools.Outcome, settled bool, err error) {
	if e.call.Attempt == 1 {
		return o, false, nil
	}
	asked := time.Now()
	finding := inquire(ctx, e)
	switch {
	case ctx.Err() != nil:
		return o, false, stopped(ctx, Progress{})
	case finding.Found == tools.FoundDone:
		return a.outcomeOf(ctx, e, asked, finding.Output, nil), true, nil
	case finding.Found == tools.FoundNotDone || e.in.Lost == 0 || e.in.Effect.Repeatable():
		return o, false, nil
	}
	return OutcomeLost(), true, nil
}

// OutcomeLost is that of a call which may have taken place.
func OutcomeLost() tools.Outcome {
	return tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown,
		"the outcome of this call was lost: it may have taken place. Check before you repeat it")
}

// inquire asks the tool, beside a watch on its time.
func inquire(ctx context.Context, e *attempt) tools.Finding {
	if e.oracle == nil || !e.tool.Reconciles {
		return tools.Finding{Found: tools.FoundUnknown}
	}
	limited, cancel := context.WithTimeout(ctx, reconcileLimit)
	defer cancel()
	type answer struct {
		finding tools.Finding
		err     error
	}
	answers := make(chan answer, 1)
	go func() {
		got := answer{err: errors.New("it ended its goroutine without returning")} // unless it returns
		defer func() { answers <- got }()
		defer recovered(&got.err)
		got.finding, got.err = e.oracle.Reconcile(limited, e.in.Call.Tool, e.call)
	}()
	select {
	case got := <-answers:
		if got.err != nil {
			activity.GetLogger(ctx).Warn("reconcile failed", "tool", e.in.Call.Tool, "error", got.err)
			return tools.Finding{Found: tools.FoundUnknown}
		}
		return got.finding
	case <-limited.Done():
		return tools.Finding{Found: tools.FoundUnknown}
	}
}
