package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"
)

// describeEvery is how often a wait for the end looks for itself: now and then the
// server forgets to tell for up to 20 seconds.
const describeEvery = time.Second

// Result waits for the end of the run and returns what it ended with. The
// result is there as well when the run failed (with a *RunFailedError) or was
// cancelled (with ErrCancelled): what was done until then is in it. Only a run
// that was closed from outside has none (*ClosedError). Errors also:
// ErrNotFound, and ctx's.
func (r *Run) Result(ctx context.Context) (*Result, error) {
	retry := backoff{low: 50 * time.Millisecond, high: 5 * time.Second}
	for {
		result, err := r.await(ctx)
		switch {
		case ctx.Err() != nil && result == nil:
			return nil, fmt.Errorf("result of run %s: %w", r.id, ctx.Err())
		case err == nil || result != nil:
			return result, err
		case isA[*ClosedError](err):
			// A reset ends an execution in order to go on with another.
			if found, describeErr := r.describe(ctx); describeErr != nil || found.closed() {
				return nil, err
			}
		case permanent(err):
			return nil, err
		}
		r.log.Debug("waiting for the result", zap.Error(err))
		if pause(ctx, retry.next()) != nil {
			return nil, fmt.Errorf("result of run %s: %w", r.id, ctx.Err())
		}
	}
}

// await waits for the end once. The error errMissedEnd means that the run has
// closed and the waiting client was not told: wait again, it will be told then.
func (r *Run) await(ctx context.Context) (*Result, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	type ending struct {
		result *Result
		err    error
	}
	told := make(chan ending, 1)
	go func() {
		var result Result
		err := r.client.GetWorkflow(waiting, r.id, "").Get(waiting, &result)
		ended, err := r.ending(waiting, &result, err)
		told <- ending{ended, err}
	}()
	ticker := time.NewTicker(describeEvery)
	defer ticker.Stop()
	for closed := false; ; {
		select {
		case end := <-told:
			return end.result, end.err
		case <-ticker.C:
		}
		if closed { // since a tick ago, and still no word
			cancel()
			if end := <-told; end.result != nil {
				return end.result, end.err
			}
			return nil, errMissedEnd
		}
		found, err := r.describe(ctx)
		closed = err == nil && found.closed()
	}
}

var errMissedEnd = errors.New("closed without notice")

// ending reads the result out of any of the ways that a run ends. Nil means
// that it was not about the run's end. The order matters: a failure may have
// any other error as its cause.
func (r *Run) ending(ctx context.Context, result *Result, err error) (*Result, error) {
	var (
		failed    *temporal.ApplicationError
		cancelled *temporal.CanceledError
	)
	switch {
	case err == nil:
		return result, nil
	case isA[*temporal.TerminatedError](err):
		return nil, &ClosedError{Terminated}
	case asA(err, &failed):
		if !failed.HasDetails() || failed.Details(result) != nil {
			result = r.emptyResult(Failed)
			result.Error = &RunError{Code: failed.Type(), Message: failed.Message()}
		}
		return result, &RunFailedError{Type: failed.Type(), Message: failed.Message()}
	case asA(err, &cancelled):
		if !cancelled.HasDetails() || cancelled.Details(result) != nil {
			result = r.emptyResult(Cancelled)
		}
		return result, ErrCancelled
	case isA[*temporal.TimeoutError](err):
		return nil, &ClosedError{TimedOut}
	case isA[*temporal.WorkflowExecutionError](err):
		return r.emptyResult(Failed), &RunFailedError{Message: err.Error()}
	case errors.Is(err, converter.ErrUnableToDecode):
		return nil, fmt.Errorf("result of run %s: %w: %w", r.id, errUnreadable, err)
	}
	return nil, r.wrap(ctx, "result of", err)
}

// emptyResult is the result of a run that ended without giving one.
func (r *Run) emptyResult(status Status) *Result {
	return &Result{ID: r.id, Object: "response", Status: status}
}
