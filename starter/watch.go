package starter

import (
	"context"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
)

// watch long-polls the history of one execution and tells when the run may
// have something new. Many events in a row make one wake-up.
type watch struct {
	// moved has a token when the run has moved since it was last taken.
	moved chan struct{}
	// ended is closed when the history has ended, or cannot be read.
	ended chan struct{}
	// err is why it cannot be read; look at it after ended is closed.
	err    error
	seen   atomic.Int64 // the newest event
	cancel context.CancelFunc
}

// watch starts at the newest execution of the run. Stop it in the end.
func (r *Run) watch(ctx context.Context) *watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{moved: make(chan struct{}, 1), ended: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(w.ended)
		w.err = w.poll(ctx, r)
	}()
	return w
}

func (w *watch) poll(ctx context.Context, r *Run) error {
	history := r.client.GetWorkflowHistory(ctx, r.id, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return r.fault(ctx, "watch", err)
		}
		w.seen.Store(event.GetEventId())
		// The state of a run changes in a workflow task and nowhere else.
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			w.wake()
		}
	}
	return nil
}

func (w *watch) wake() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// await returns when the run may have moved, and at first when it is ready for
// questions: one that comes before the first workflow task is held up for a
// second. It does not trust the long poll alone: a notice can get lost on the
// server.
func (w *watch) await(ctx context.Context, r *Run, idle *backoff) error {
	for {
		timer := time.NewTimer(idle.next())
		select {
		case <-ctx.Done():
		case <-w.moved:
			idle.reset()
			timer.Stop()
			return nil
		case <-w.ended:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if w.over() {
			return nil
		}
		found, err := r.look(ctx)
		switch {
		case lasting(err):
			return err
		case err == nil && found.closed():
			w.stop()
			return nil
		case err == nil && found.length != w.seen.Load():
			return nil
		}
	}
}

// over tells whether nothing more will come.
func (w *watch) over() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// stop ends the watch and waits until it is over.
func (w *watch) stop() {
	w.cancel()
	<-w.ended
}
