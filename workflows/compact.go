package workflows

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/workflows/contract"
)

// bytesPerToken is the rule of thumb for what no server has counted.
const bytesPerToken = 4

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

// crowded tells whether the conversation is to be made shorter before it is
// sent.
func (r *run) crowded() bool {
	at := r.request.Run.CompactAt
	return at > 0 && r.conversation.tokens >= int64(at)
}

// aim is how many tokens a conversation should have once it was made shorter:
// half of what it may have, so that it is not done again at once.
func (r *run) aim() int64 {
	most := r.conversation.tokens
	if at := int64(r.request.Run.CompactAt); at > 0 {
		most = min(most, at)
	}
	return most / 2
}

// compact makes the conversation shorter for its model, and tells whether it
// did. Nothing is lost: the conversation keeps all of its items.
func (r *run) compact(ctx workflow.Context, try int, reason string) (bool, error) {
	c := &r.conversation
	in := activities.CompactInput{
		Round: r.round, Surface: r.surface.digest, Length: len(c.items), Digest: c.digest, Tokens: c.tokens, Aim: r.aim(),
	}
	out, err := perform(workflow.WithActivityOptions(ctx, compactOptions(r.round, try)), acts.Compact, in)
	if err != nil {
		return false, err
	}
	r.report.warn(out.Notes...)
	if out.Item == nil {
		return false, nil
	}
	index := c.add(out.Item)
	c.tokens = out.Tokens
	r.journal.add(ctx, contract.Event{Type: contract.EventCompaction, Item: &index, Size: len(out.Item), Reason: reason})
	r.report.warn(fmt.Sprintf("round %d: the model no longer sees %s of the conversation: %s", r.round, count(out.Dropped, "item"), reason))
	return true, nil
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
