package starter

import (
	"context"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"errand/workflows/contract"
)

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
		if final := r.judge(ctx, err); final != nil {
			return Receipt{}, final
		}
		if attempt == 2 {
			r.nudge(ctx)
		}
		r.log.Debug("no reply to an update", zap.String("update", name), zap.Int("attempt", attempt), zap.Error(err))
		if attempt == updateAttempts || pause(ctx, retry.next()) != nil {
			return Receipt{}, r.fault(ctx, fmt.Sprintf("update %s (attempt %d) of", name, attempt), err)
		}
	}
}

// nudge has the server look at the run again. Under load it can forget that an
// update waits: until something else happens in the run, every attempt then
// joins an update that nobody brings to the worker.
func (r *Run) nudge(ctx context.Context) {
	// Only a run that answers is stuck in this way. Where no worker is up, a
	// nudge would only use up signals, of which a run takes 10,000.
	if _, err := ask[StatusReport](ctx, r, contract.QueryStatus); err != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, askTimeout)
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

// judge says what an error of an update means. Nil means to try again.
func (r *Run) judge(ctx context.Context, err error) error {
	var refusal *temporal.ApplicationError
	switch {
	case ctx.Err() != nil:
		return r.fault(ctx, "update", err)
	case isA[*serviceerror.NotFound](err):
		return r.takes(ctx)
	case lasting(err):
		return r.fault(ctx, "update", err)
	case asA(err, &refusal) && refusal.Type() == completedUnderway:
		return r.takes(ctx)
	case asA(err, &refusal) && refusal.Type() == RefusedOutput:
		return &RefusedError{Reason: refusal.Message(), Type: RefusedOutput}
	case asA(err, &refusal):
		return &RefusedError{Reason: refusal.Message()}
	case isA[*temporal.CanceledError](err):
		return &RefusedError{Reason: "the run is being cancelled"}
	}
	return nil
}
