package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"go.temporal.io/api/serviceerror"

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
	if len(output) > r.answer {
		return Receipt{}, &TooLargeError{"output", len(output), r.answer}
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
		if err := r.takes(limited); err != nil {
			return err
		}
		err := r.client.CancelWorkflow(limited, r.id, "")
		if err == nil || isA[*serviceerror.CancellationAlreadyRequested](err) {
			return nil
		}
		if !isA[*serviceerror.NotFound](err) {
			return r.fault(ctx, "cancel", err)
		}
		if pause(limited, retry.next()) != nil {
			return r.fault(ctx, "cancel", err)
		}
	}
}

// takes looks whether the run can take anything: ErrEnded or ErrNotFound if
// not. What cannot be found out counts as yes.
func (r *Run) takes(ctx context.Context) error {
	found, err := r.look(ctx)
	switch {
	case errors.Is(err, ErrNotFound):
		return err
	case err == nil && found.closed():
		return fmt.Errorf("run %s: %w", r.id, ErrEnded)
	}
	return nil
}
