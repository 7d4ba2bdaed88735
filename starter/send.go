package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"errand/tools"
	"errand/workflows/contract"
)

// cancelTimeout bounds one Cancel.
const cancelTimeout = 30 * time.Second

// Answer settles a client-owned call and returns when the run has recorded it.
// The first answer to a call counts; an identical repeat succeeds with
// Receipt.Repeated.
//
// Errors: *TooLargeError, *RefusedError (unknown call, already settled
// otherwise), ErrEnded, ErrNotFound, and ErrNoReply after about a minute.
func (r *Run) Answer(ctx context.Context, answer Answer) (Receipt, error) {
	output, err := json.Marshal(answer.Output)
	if err != nil {
		return Receipt{}, fmt.Errorf("answer: output is not JSON: %w", err)
	}
	if len(output) > r.starter.answer {
		return Receipt{}, &TooLargeError{"output", len(output), r.starter.answer}
	}
	return r.update(ctx, contract.ToolOutput, answer)
}

// Claim takes an open call for a while, so that no other process works on it.
// Claim again to renew. Errors as of Answer; somebody else's live claim is a
// *RefusedError.
func (r *Run) Claim(ctx context.Context, claim Claim) (Receipt, error) {
	return r.update(ctx, contract.ClaimAction, claim)
}

// Approve settles an approval, either way: see Approved and Denied. Errors as
// of Answer.
func (r *Run) Approve(ctx context.Context, approval Approval) (Receipt, error) {
	return r.update(ctx, contract.SettleApproval, approval)
}

// Extend gives the run a larger budget, or declines one that it asks for: see
// Status.Budget. Errors as of Answer; a limit below the one there is, or where
// there is none, is a *RefusedError.
func (r *Run) Extend(ctx context.Context, extend Extend) (Receipt, error) {
	return r.update(ctx, contract.ExtendBudget, extend)
}

// Stop ends the run: now, which is a cancel that says by whom, or after the tools
// or the round that it is in. It returns when the run knows, not when it has
// ended. A milder mode than one in force changes nothing and succeeds with
// Receipt.Repeated. Errors as of Answer.
func (r *Run) Stop(ctx context.Context, stop Stop) (Receipt, error) {
	return r.update(ctx, contract.StopRun, stop)
}

// Send gives the run a message. It returns when the run has taken it, not when
// the model has read it. Errors as of Answer.
//
// A message without an id gets a new one. To send a message again after
// ErrNoReply, give it an id yourself: the run takes it once, and a repeat
// succeeds with Receipt.Repeated.
func (r *Run) Send(ctx context.Context, message Message) (Receipt, error) {
	content, err := json.Marshal(message.Content)
	if err != nil {
		return Receipt{}, fmt.Errorf("send: content is not JSON: %w", err)
	}
	if len(content) > contract.MaxAnswerSize {
		return Receipt{}, &TooLargeError{"content", len(content), contract.MaxAnswerSize}
	}
	if message.ID == "" {
		message.ID = NewMessageID()
	}
	return r.update(ctx, contract.SendMessage, message)
}

// NewMessageID makes an id for a message.
func NewMessageID() string { return "msg_" + ulid.Make().String() }

// Cancel asks the run to stop. It returns at once; the run cleans up and ends
// cancelled within seconds, with the partial result: see Result. Cancelling
// twice does no harm. Errors: ErrEnded, ErrNotFound, ErrNoReply.
func (r *Run) Cancel(ctx context.Context) error {
	limited, done := context.WithTimeout(ctx, cancelTimeout)
	defer done()
	retry := backoff{low: 50 * time.Millisecond, high: 5 * time.Second}
	for {
		// The server may say yes to cancelling a run that has ended, and no to
		// one that is just being continued.
		if err := r.checkOpen(limited); err != nil {
			return err
		}
		err := r.client.CancelWorkflow(limited, r.id, "")
		if err == nil || isA[*serviceerror.CancellationAlreadyRequested](err) {
			return nil
		}
		if !isA[*serviceerror.NotFound](err) {
			return r.wrap(ctx, "cancel", err)
		}
		if pause(limited, retry.next()) != nil {
			return r.wrap(ctx, "cancel", err)
		}
	}
}

// checkOpen asks whether the run can take anything: ErrEnded or ErrNotFound if
// not. What cannot be found out counts as yes.
func (r *Run) checkOpen(ctx context.Context) error {
	found, err := r.describe(ctx)
	switch {
	case errors.Is(err, ErrNotFound):
		return err
	case err == nil && found.closed():
		return fmt.Errorf("run %s: %w", r.id, ErrEnded)
	}
	return nil
}

const (
	// updateTimeout bounds one attempt at an update: the server holds it while
	// no worker is up, or while ten others are on their way to the same run.
	updateTimeout = 10 * time.Second
	// updateAttempts bounds the attempts.
	updateAttempts = 6
)

// update sends one update and waits for its receipt. All attempts carry the
// same id, so an attempt whose reply was lost is answered, not done again.
func (r *Run) update(ctx context.Context, name string, payload any) (Receipt, error) {
	options := client.UpdateWorkflowOptions{
		UpdateID:     name + "_" + ulid.Make().String(),
		WorkflowID:   r.id,
		UpdateName:   name,
		Args:         []any{payload},
		WaitForStage: client.WorkflowUpdateStageCompleted,
	}
	retry := backoff{low: 50 * time.Millisecond, high: 5 * time.Second}
	for attempt := 1; ; attempt++ {
		receipt, err := r.tryUpdate(ctx, options)
		if err == nil {
			return receipt, nil
		}
		if final := r.updateError(ctx, err); final != nil {
			return Receipt{}, final
		}
		if attempt == 2 {
			r.nudge(ctx)
		}
		r.log.Debug("no reply to an update", zap.String("update", name), zap.Int("attempt", attempt), zap.Error(err))
		if attempt == updateAttempts || pause(ctx, retry.next()) != nil {
			return Receipt{}, r.wrap(ctx, fmt.Sprintf("update %s (attempt %d) of", name, attempt), err)
		}
	}
}

// nudge has the server look at the run again. Under load it can forget that an
// update waits: until something else happens in the run, every attempt then
// joins an update that nobody brings to the worker.
func (r *Run) nudge(ctx context.Context) {
	// Only a run that answers is stuck in this way. Where no worker is up, a
	// nudge would only use up signals, of which a run takes 10,000.
	if _, err := queryRun[StatusReport](ctx, r, contract.QueryStatus); err != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := r.client.SignalWorkflow(limited, r.id, "", contract.Nudge, []any{}); err != nil {
		r.log.Debug("not nudged", zap.Error(err))
	}
}

func (r *Run) tryUpdate(ctx context.Context, options client.UpdateWorkflowOptions) (Receipt, error) {
	limited, cancel := context.WithTimeout(ctx, updateTimeout)
	defer cancel()
	var receipt Receipt
	handle, err := r.client.UpdateWorkflow(limited, options)
	if err != nil {
		return receipt, err
	}
	return receipt, handle.Get(limited, &receipt)
}

// completedUnderway is the type of the error that the server makes up when a
// run closes, or continues as new, between taking an update and answering it.
const completedUnderway = "AcceptedUpdateCompletedWorkflow"

// updateError says what an error of an update means. Nil means to try again.
func (r *Run) updateError(ctx context.Context, err error) error {
	var refusal *temporal.ApplicationError
	switch {
	case ctx.Err() != nil:
		return r.wrap(ctx, "update", err)
	case isA[*serviceerror.NotFound](err):
		return r.checkOpen(ctx)
	case permanent(err):
		return r.wrap(ctx, "update", err)
	case asA(err, &refusal) && refusal.Type() == completedUnderway:
		return r.checkOpen(ctx)
	case asA(err, &refusal) && refusal.Type() == RefusedOutput:
		return &RefusedError{Reason: refusal.Message(), Type: RefusedOutput}
	case asA(err, &refusal):
		return &RefusedError{Reason: refusal.Message()}
	case isA[*temporal.CanceledError](err):
		return &RefusedError{Reason: "the run is being cancelled"}
	}
	return nil
}

// Output is the answer to the call of this action. A string is what the model
// reads; anything else becomes its JSON text. What cannot be written as JSON
// becomes an error that says so, for the model to read.
func Output(actionID string, output any) Answer {
	raw, err := json.Marshal(output)
	if err != nil {
		return Failure(actionID, "the output cannot be written as JSON: "+err.Error())
	}
	return Answer{ActionID: actionID, Output: raw}
}

// Failure answers the call of this action with an error for the model to read.
func Failure(actionID, message string) Answer {
	return failure(Answer{ActionID: actionID}, tools.ErrExecutionFailed, message)
}

// failure fills an answer in the shape that every failed call has.
func failure(answer Answer, errorType, message string) Answer {
	answer.Output = quoted(tools.Fail(tools.Failed, errorType, message).Output)
	answer.IsError = true
	return answer
}

// Text is a message of the user, read after the current batch of calls. Set
// Deliver to DeliverFollowUp to have it read when the model is done.
func Text(text string) Message {
	return Message{Role: "user", Content: quoted(text), Deliver: DeliverSteer}
}

// Approved says yes to an approval request. actor names who decided; it may be
// empty.
func Approved(approvalRequestID, actor string) Approval {
	return decision(approvalRequestID, true, "", actor)
}

// Denied says no to an approval request. The model reads the reason.
func Denied(approvalRequestID, reason, actor string) Approval {
	return decision(approvalRequestID, false, reason, actor)
}

func decision(id string, approve bool, reason, actor string) Approval {
	return Approval{ApprovalRequestID: id, Approve: &approve, Reason: reason, Actor: actor}
}

// quoted is text as JSON, which always succeeds.
func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil {
		panic("starter: " + err.Error())
	}
	return raw
}
