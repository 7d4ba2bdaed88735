package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/activities/model"
	"errand/activities/translate"
	"errand/activities/usercode"
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

// TypeNotAsked is the error type of an inference that did not reach the model:
// the worker could not read the conversation from the run.
const TypeNotAsked = "NotAsked"

const (
	// LostInferences is how many attempts at one inference may be lost with
	// their workers, beside those that the model fails: about two hours of
	// nothing but workers that die.
	LostInferences = 100
	// unreadAttempts bounds the attempts that cannot read the run. Another
	// worker, or another minute, may help; a fault of Errand's own will not go
	// away.
	unreadAttempts = 20
	// lastWord is how long before Temporal's own limit an attempt gives up, so
	// that it can say so.
	lastWord = 30 * time.Second
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
	// a reference, see item.RefItem. They are left out when large.
	From  int               `json:"from"`
	Items []json.RawMessage `json:"items,omitempty"`
	// ToolChoice is that of this round.
	ToolChoice json.RawMessage `json:"tool_choice,omitempty"`
	// Attempts is how many attempts the model may fail; 0 leaves it to the
	// retry policy.
	Attempts int `json:"attempts,omitempty"`
}

// InferResult is a model's answer after it was checked: the workflow may trust
// its ids, names and sizes.
type InferResult struct {
	Items []json.RawMessage `json:"items"`
	// Finish is left out for a whole answer.
	Finish model.FinishReason `json:"stop,omitempty"`
	Usage  *item.Usage        `json:"usage,omitempty"`
	// Cost is that of Usage, where the worker knows the model's price.
	Cost *item.Cost `json:"cost,omitempty"`
	// Failed is what attempts before this one have used.
	Failed *model.Spent `json:"failed,omitempty"`
	Model  string       `json:"model,omitempty"`
	// MaxOutput is what a call may return, in bytes, where large payloads are
	// stored outside of Temporal; 0 where they are not. The workflow goes by what
	// its history says here, and not by how its worker is configured.
	MaxOutput int `json:"max_output,omitempty"`
	// Notes say what was repaired.
	Notes []string `json:"notes,omitempty"`
}

// Infer asks the model once. Temporal repeats it by the error's class.
func (a *Activities) Infer(ctx context.Context, in InferInput) (InferResult, error) {
	ctx, done := a.shutdown.ends(ctx)
	defer done()
	attempts := newAttemptCounter(ctx, in.Attempts)
	defer beat(ctx, attempts.heartbeat)()
	info := activity.GetInfo(ctx)
	key := info.WorkflowExecution.ID
	at, err := a.surface(ctx, in.Surface)
	if err != nil {
		return InferResult{}, attempts.unread(ctx, err)
	}
	known, err := a.conversation(ctx, key, in)
	if err != nil {
		return InferResult{}, attempts.unread(ctx, err)
	}
	answer, err := a.askModel(ctx, model.Request{
		Model: at.Model, Instructions: at.Instructions,
		Items: at.Encode(item.Shown(known.Items)), Tools: at.Tools,
		ToolChoice:        at.EncodeChoice(in.ToolChoice),
		ParallelToolCalls: at.ParallelToolCalls, Settings: at.Settings,
		Key: inferKey(info.WorkflowExecution.ID, in),
	})
	if err != nil {
		return InferResult{}, attempts.refused(ctx, err, a.spent(at.Model, usageOf(err)))
	}
	result, err := decode(answer, at, in.Round)
	if err != nil {
		return InferResult{}, withDetails(err, attempts.heartbeat().plus(a.spent(at.Model, answer.Usage)))
	}
	if s := a.spent(at.Model, result.Usage); s != nil {
		result.Cost = s.Cost
	}
	result.Failed, result.MaxOutput = attempts.heartbeat().Spent, a.maxOutput
	next := known.With(result.Items...)
	a.caches.conversations.Put(key, next, next.Bytes())
	return result, nil
}

// decode makes the answer one that the workflow may trust.
func decode(answer model.Answer, at *translate.Translator, round int) (InferResult, error) {
	r := InferResult{Usage: answer.Usage}
	if answer.Finish != model.FinishCompleted {
		r.Finish = answer.Finish
	}
	r.Model, _ = tools.Cut(answer.Model, translate.MaxName)
	r.Items, r.Notes = at.Decode(answer.Items, round)
	size := 0
	for _, it := range r.Items {
		size += len(it)
	}
	if size > maxAnswer {
		return InferResult{}, temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("the model's answer has %d bytes, at most %d are taken: lower max_output_tokens", size, maxAnswer),
			TypeLimitExceeded, nil)
	}
	return r, nil
}

// inferKey is the same for every attempt at the same inference.
func inferKey(run string, in InferInput) string {
	key := fmt.Sprintf("%s/%d/infer", run, in.Round)
	if in.Try > 0 {
		key = fmt.Sprintf("%s/%d", key, in.Try+1)
	}
	return key
}

// askModel asks once, and ends somewhat before the attempt would be taken for
// lost.
func (a *Activities) askModel(ctx context.Context, request model.Request) (answer model.Answer, err error) {
	defer usercode.Recover(&err)
	deadline := activity.GetInfo(ctx).Deadline
	if deadline.IsZero() {
		return a.model.Infer(ctx, request)
	}
	limited, cancel := context.WithDeadline(ctx, deadline.Add(-lastWord))
	defer cancel()
	answer, err = a.model.Infer(limited, request)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = errNoEnd
	}
	return answer, err
}

var errNoEnd = errors.New("ask the model: it did not end its answer within the time of an attempt: an hour, or what is left of the run's execution time-out")

// cut keeps failure messages small: the server holds them while it retries.
func cut(message string) string {
	short, _ := tools.Cut(message, 2000)
	return short
}
