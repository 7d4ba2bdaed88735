package starter

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// firstReport waits for a worker that tells how the run stands. The report of
// a run that has ended is terminal, whether a worker told or the server; one
// that was closed from outside is a *ClosedError.
func (r *Run) firstReport(ctx context.Context) (StatusReport, error) {
	w := r.watch(ctx)
	err := w.await(ctx, r, &backoff{low: time.Second, high: time.Second})
	w.stop()
	if err != nil {
		return StatusReport{}, err
	}
	trouble := backoff{low: 100 * time.Millisecond, high: 5 * time.Second}
	for {
		report, err := r.Status(ctx)
		if err == nil || lasting(err) {
			if closed := report.Status; closed == Terminated || closed == TimedOut {
				return report, &ClosedError{closed}
			}
			return report, err
		}
		found, lookErr := r.look(ctx)
		switch {
		case lasting(lookErr):
			return report, lookErr
		case lookErr == nil && found.abrupt():
			return report, &ClosedError{found.word()}
		case lookErr == nil && found.closed():
			return StatusReport{Status: found.word()}, nil
		}
		r.log.Debug("waiting for a worker", zap.Error(err))
		if err := pause(ctx, trouble.next()); err != nil {
			return report, err
		}
	}
}
