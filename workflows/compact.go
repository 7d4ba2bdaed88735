package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/workflows/contract"
)

// maxCompactions bounds how often one round makes its conversation shorter
// because the model says that it is still too long.
const maxCompactions = 5

// truncates tells whether the request lets a conversation that is too long be
// made shorter: "truncation": "auto", or run.compact_at.
func truncates(r contract.Request) bool {
	var mode string
	_ = json.Unmarshal(r.Settings["truncation"], &mode)
	return mode == "auto" || r.Run.CompactAt > 0
}

// compact makes the conversation shorter for its model, and tells whether it
// did. Nothing is lost: the conversation keeps all of its items.
func (r *run) compact(ctx workflow.Context, try int, reason string) (bool, error) {
	in := r.Conversation.CompactInput(r.Request.Run.CompactAt)
	in.Round, in.Surface = r.Round, r.surface.Digest
	out, err := perform(workflow.WithActivityOptions(ctx, compactOptions(r.Round, try)), acts.Compact, in)
	if err != nil {
		return false, err
	}
	r.Report.Warn(out.Notes...)
	if out.Item == nil {
		return false, nil
	}
	index := r.Conversation.AddCompaction(out.Item, out.Tokens)
	r.record(ctx, contract.Event{Type: contract.EventCompaction, Item: &index, Size: len(out.Item), Reason: reason})
	r.Report.Warn(fmt.Sprintf("round %d: the model no longer sees %s of the conversation: %s", r.Round, count(out.Dropped, "item"), reason))
	return true, nil
}

// compactLimit bounds one attempt at making a conversation shorter: a worker's
// own Compact may ask a model.
const compactLimit = 10 * time.Minute

var compactRetries = &temporal.RetryPolicy{
	InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 10,
}

func compactOptions(round, try int) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		ActivityID:          fmt.Sprintf("%d/compact/%d", round, try),
		StartToCloseTimeout: compactLimit,
		HeartbeatTimeout:    activities.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary("round %d · make the conversation shorter", round),
		RetryPolicy:         compactRetries,
	}
}

// tooLong tells whether a model refused a conversation for its length.
func tooLong(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == activities.TypeContextExceeded
}
