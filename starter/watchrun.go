package starter

import (
	"context"
	"iter"
	"time"

	"go.uber.org/zap"
)

// Watched is what has opened in a run since it was last told, and at the end
// the status that the run ended with.
type Watched struct {
	Status    Status
	Actions   []OpenAction
	Approvals []OpenApproval
}

// WatchRun tells what the run waits for: at first everything that is open, then
// what opens, each call and approval once, with its ids. What is settled before
// it can be told is left out. The last thing it gives has a terminal Status. For every single event use Follow; to have the
// calls executed, Serve.
//
// An error ends it: *ClosedError for a run that was closed from outside,
// ErrNotFound, or ctx's, which says nothing about the run. Outages are waited
// out.
func (r *Run) WatchRun(ctx context.Context) iter.Seq2[Watched, error] {
	return func(yield func(Watched, error) bool) {
		w := &watcher{run: r, given: map[string]bool{}, yield: yield}
		if err := w.watch(ctx); err != nil {
			yield(Watched{}, r.interrupted(ctx, "watch", err))
		}
	}
}

// watcher is one WatchRun under way.
type watcher struct {
	run   *Run
	given map[string]bool // by action id and approval id
	yield func(Watched, error) bool
}

func (w *watcher) watch(ctx context.Context) error {
	report, err := w.run.firstReport(ctx)
	if err != nil {
		return err
	}
	if !w.tell(report) || report.Status.Terminal() {
		return nil
	}
	for event, err := range w.run.Follow(ctx, report.Events) {
		if err != nil {
			return err
		}
		if event.Type == EventRunEnd {
			w.yield(Watched{Status: Status(event.Status)}, nil)
			return nil
		}
		opens := event.Type == EventManifest || event.Type == EventApprovalAsked
		id := event.ActionID + event.ApprovalID // it has one of them
		if !opens || w.given[id] {
			continue
		}
		if report, err = w.run.firstReport(ctx); err != nil {
			return err
		}
		if report.Status.Terminal() {
			continue // its last event says so
		}
		if !w.tell(report) {
			return nil
		}
		w.given[id] = true // also if it is settled already and was not told
	}
	return nil
}

// tell gives what is new in a report, and returns false if nobody wants more.
func (w *watcher) tell(report StatusReport) bool {
	opened := Watched{Status: report.Status}
	for _, a := range report.Actions {
		if !w.given[a.ActionID] {
			w.given[a.ActionID] = true
			opened.Actions = append(opened.Actions, a)
		}
	}
	for _, a := range report.Approvals {
		if !w.given[a.ApprovalRequestID] {
			w.given[a.ApprovalRequestID] = true
			opened.Approvals = append(opened.Approvals, a)
		}
	}
	if len(opened.Actions)+len(opened.Approvals) == 0 && !opened.Status.Terminal() {
		return true
	}
	return w.yield(opened, nil)
}

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
		if err == nil || permanent(err) {
			if closed := report.Status; closed == Terminated || closed == TimedOut {
				return report, &ClosedError{closed}
			}
			return report, err
		}
		found, describeErr := r.describe(ctx)
		switch {
		case permanent(describeErr):
			return report, describeErr
		case describeErr == nil && found.closedOutside():
			return report, &ClosedError{found.runStatus()}
		case describeErr == nil && found.closed():
			return StatusReport{Status: found.runStatus()}, nil
		}
		r.log.Debug("waiting for a worker", zap.Error(err))
		if err := pause(ctx, trouble.next()); err != nil {
			return report, err
		}
	}
}
