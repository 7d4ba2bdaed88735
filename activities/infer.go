package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/tools"
	"errand/tools/item"
)

// Error types of a failed inference; they are those of the run.
const (
	TypeModelRejected    = "ModelRejected"
	TypeModelUnavailable = "ModelUnavailable"
	TypeLimitExceeded    = "LimitExceeded"
	// TypeContextExceeded is a ModelRejected that a shorter conversation may
	// mend.
	TypeContextExceeded = "ContextExceeded"
)

// maxAnswer bounds one answer of a model, well under what Temporal takes.
const maxAnswer = 3 << 19

// InferInput refers to a conversation and a surface instead of holding them,
// so that history grows with the work and not with its square.
type InferInput struct {
	Round int `json:"round"`
	// Try counts the inferences of a round that were refused for the length of
	// the conversation.
	Try     int    `json:"try,omitempty"`
	Surface string `json:"surface"`
	// Length and Digest are of the whole conversation.
	Length int    `json:"length"`
	Digest string `json:"digest"`
	// Items are those from From on; one that a worker has had before may be
	// named, see HeldItem. They are left out when large.
	From  int               `json:"from"`
	Items []json.RawMessage `json:"items,omitempty"`
	// ToolChoice is that of this round.
	ToolChoice json.RawMessage `json:"tool_choice,omitempty"`
}

// InferResult is a model's answer after it was checked: the workflow may trust
// its ids, names and sizes.
type InferResult struct {
	Items []json.RawMessage `json:"items"`
	// Stop is left out for a whole answer.
	Stop  Stop        `json:"stop,omitempty"`
	Usage *item.Usage `json:"usage,omitempty"`
	// Cost is that of Usage, where the worker knows the model's price.
	Cost *item.Cost `json:"cost,omitempty"`
	// Failed is what attempts before this one have used.
	Failed *Spent `json:"failed,omitempty"`
	Model  string `json:"model,omitempty"`
	// Notes say what was repaired.
	Notes []string `json:"notes,omitempty"`
}

// Infer asks the model once. Temporal repeats it by the error's class.
func (a *Activities) Infer(ctx context.Context, in InferInput) (InferResult, error) {
	spending := spendingOf(ctx)
	defer beat(ctx, spending.progress)()
	info := activity.GetInfo(ctx)
	at, err := a.surface(ctx, in.Surface)
	if err != nil {
		return InferResult{}, inferError(ctx, err, spending.progress())
	}
	key := info.WorkflowExecution.ID
	known, err := a.conversation(ctx, key, in)
	if err != nil {
		return InferResult{}, inferError(ctx, err, spending.progress())
	}
	answer, err := a.model.Infer(ctx, ModelRequest{
		Model: at.Model, Instructions: at.Instructions,
		Items: at.outward(item.Shown(known.items)), Tools: at.Tools,
		ToolChoice:        at.outwardChoice(in.ToolChoice),
		ParallelToolCalls: at.ParallelToolCalls, Settings: at.Settings,
		Key: inferKey(info.WorkflowExecution.ID, in),
	})
	if err != nil {
		a.wasted(ctx, spending, at.Model, usageOf(err))
		return InferResult{}, inferError(ctx, err, spending.progress())
	}
	result, err := checked(answer, at, in.Round)
	if err != nil {
		a.wasted(ctx, spending, at.Model, answer.Usage)
		return InferResult{}, withDetails(err, spending.progress())
	}
	if s := a.spent(at.Model, result.Usage); s != nil {
		result.Cost = s.Cost
	}
	result.Failed = spending.sum.Load()
	next := known.with(result.Items...)
	a.held.conversations.put(key, next, next.bytes)
	return result, nil
}

// inferKey is the same for every attempt at the same inference.
func inferKey(run string, in InferInput) string {
	key := fmt.Sprintf("%s/%d/infer", run, in.Round)
	if in.Try > 0 {
		key = fmt.Sprintf("%s/%d", key, in.Try+1)
	}
	return key
}

// inferError gives a failure its class. The context's end comes first: what a
// model says while it is being cancelled does not matter.
func inferError(ctx context.Context, err error, p Progress) error {
	if ctx.Err() != nil {
		return stopped(ctx, p)
	}
	var refusal *ModelError
	if !errors.As(err, &refusal) {
		return temporal.NewApplicationErrorWithCause(cut(err.Error()), TypeModelUnavailable, nil, p)
	}
	if refusal.contextExceeded() {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeContextExceeded, nil, p)
	}
	if refusal.Permanent {
		return temporal.NewNonRetryableApplicationError(cut(refusal.Error()), TypeModelRejected, nil, p)
	}
	return temporal.NewApplicationErrorWithOptions(cut(refusal.Error()), TypeModelUnavailable,
		temporal.ApplicationErrorOptions{NextRetryDelay: min(refusal.RetryAfter, time.Hour), Details: []any{p}})
}

// cut keeps failure messages small: the server holds them while it retries.
func cut(message string) string {
	short, _ := tools.Cut(message, 2000)
	return short
}
