package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

// infer asks the model for the next answer. A conversation that is too long
// for it is made shorter first, if the request allows that.
func (r *run) infer(ctx workflow.Context) (activities.InferResult, error) {
	ctx, r.stopping.inference = workflow.WithCancel(ctx)
	if r.Conversation.Crowded(r.Request.Run.CompactAt) {
		if _, err := r.compact(ctx, 0, "it has reached compact_at"); err != nil {
			return activities.InferResult{}, err
		}
	}
	for try := 1; ; try++ {
		answer, err := r.inferOnce(ctx, try)
		if !tooLong(err) || !truncates(r.Request) || try > maxCompactions {
			return answer, err
		}
		if shorter, failed := r.compact(ctx, try, "the model's context was exceeded"); failed != nil || !shorter {
			return answer, errors.Join(failed, err)
		}
	}
}

// inferOnce is one inference.
func (r *run) inferOnce(ctx workflow.Context, try int) (activities.InferResult, error) {
	in := r.Conversation.InferInput()
	in.Round, in.Try, in.Surface = r.Round, try-1, r.surface.Digest
	in.Attempts = r.Request.Run.ModelAttempts
	in.ToolChoice = conversation.ToolChoice(r.Request.ToolChoice, r.Round, r.registry.Shown())
	ctx = workflow.WithActivityOptions(ctx, inferOptions(r.Request, r.Round, try, in.Length))
	answer, err := performUntil(ctx, r, acts.Infer, in)
	if err != nil {
		return answer, err
	}
	r.Report.Stored = answer.MaxOutput
	r.Budget.Spend(answer.Failed)
	if answer.Usage != nil {
		r.Budget.Spend(&model.Spent{Usage: *answer.Usage, Cost: answer.Cost})
		r.Conversation.Counted(*answer.Usage)
	}
	r.Report.Warn(answer.Notes...)
	if answer.Model != "" {
		r.Report.Model = answer.Model
	}
	return answer, nil
}

// inferLimit bounds one attempt at an inference. A worker that died is noticed
// by its heartbeat long before; this is for a model that never ends.
const inferLimit = time.Hour

func inferOptions(request contract.Request, round, try, items int) workflow.ActivityOptions {
	id := fmt.Sprintf("%d/infer", round)
	if try > 1 {
		id = fmt.Sprintf("%s/%d", id, try)
	}
	return workflow.ActivityOptions{
		ActivityID:          id,
		StartToCloseTimeout: inferLimit,
		HeartbeatTimeout:    activities.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary("round %d · infer %s (%s)", round, request.Model, count(items, "item")),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
			// The activity itself counts the attempts that the model fails.
			MaximumAttempts: int32(request.Run.ModelAttempts + activities.LostInferences), //nolint:gosec // 1 to 1000, checked when decoded
		},
	}
}

// whyFailed is the error type of a run that the error of an inference ends, and
// what to say about it. There is no type for faults of the machine: the run
// could not get an answer, and the message says whose fault that was.
func whyFailed(err error) (code, message string) {
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	switch {
	case errors.As(err, &app):
		return whyRefused(app)
	case errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		return contract.ErrModelUnavailable, "the model has not answered: the workers that asked it were lost, one after the other; their own logs, or the machine's, say why"
	case errors.As(err, &timeout):
		return contract.ErrModelUnavailable, "the model has not answered: attempt after attempt took over " + inferLimit.String()
	}
	return contract.ErrModelUnavailable, err.Error()
}

func whyRefused(app *temporal.ApplicationError) (code, message string) {
	switch app.Type() {
	case activities.TypeModelRejected, activities.TypeLimitExceeded:
		return app.Type(), app.Message()
	case activities.TypeContextExceeded:
		return contract.ErrModelRejected, app.Message()
	case activities.TypeWorkerStopped:
		return contract.ErrModelUnavailable, "the model has not answered: the workers that asked it were stopped, one after the other"
	}
	return contract.ErrModelUnavailable, app.Message()
}

// failedInference is what the attempts at an inference have used that failed
// for good.
func failedInference(err error) *model.Spent {
	var p activities.Heartbeat
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	switch {
	case errors.As(err, &app) && app.HasDetails() && app.Details(&p) == nil:
	case errors.As(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&p) == nil:
	}
	return p.Spent
}

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
