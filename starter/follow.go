package starter

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.uber.org/zap"
)

// lastTries is how often the last events of a run that was closed from outside
// are asked for while no worker answers.
const lastTries = 3

// Follow gives the events after a number as they happen, in order and without
// gaps; 0 is the beginning. To go on later, pass the Seq of the last event.
// It ends after the event run_end.
//
// Worker and server outages are waited out, for as long as ctx lives: events
// come again when a worker is up. An error is the last thing it gives:
// *ClosedError for a run that has no last event because it was closed from
// outside, ErrNotFound, or ctx's.
func (r *Run) Follow(ctx context.Context, after int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f := &follower{
			run: r, cursor: max(after, 0), yield: yield,
			trouble: backoff{low: 50 * time.Millisecond, high: 5 * time.Second},
			idle:    backoff{low: time.Second, high: 16 * time.Second},
		}
		if err := f.follow(ctx); err != nil {
			yield(Event{}, err)
		}
	}
}

// follower is one Follow under way.
type follower struct {
	run    *Run
	cursor int
	yield  func(Event, error) bool
	// done: the last event was given, or nobody wants more.
	done bool
	// trouble paces what has to be tried again, idle the checks of a run that
	// is said to be still.
	trouble, idle backoff
}

func (f *follower) follow(ctx context.Context) error {
	w := f.run.watch(ctx)
	defer func() { w.stop() }()
	for {
		if err := w.await(ctx, f.run, &f.idle); err != nil {
			return f.interrupted(err)
		}
		err := f.read(ctx)
		if f.done || permanent(err) {
			return err
		}
		if err == nil && !w.over() {
			continue
		}
		if w.over() && permanent(w.err) {
			return w.err
		}
		found, describeErr := f.run.describe(ctx)
		switch {
		case permanent(describeErr):
			return describeErr
		case describeErr == nil && found.closed():
			return f.finish(ctx, found)
		}
		if err != nil {
			f.run.log.Debug("waiting for a worker to tell events", zap.Error(err))
		}
		if err := pause(ctx, f.trouble.next()); err != nil {
			return f.interrupted(err)
		}
		if w.over() {
			w = f.run.watch(ctx)
		} else {
			w.wake() // ask again
		}
	}
}

// read gives what there is after the cursor. A page of a few events is taken
// for the newest; whether more of them follow is told by the next wake-up.
func (f *follower) read(ctx context.Context) error { return f.readUntil(ctx, eventsPage/4) }

// readUntil reads until a page has fewer than few events.
func (f *follower) readUntil(ctx context.Context, few int) error {
	for {
		page, err := f.run.Events(ctx, f.cursor)
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			f.cursor = event.Seq
			f.trouble.reset()
			f.idle.reset()
			if !f.yield(event, nil) || event.Type == EventRunEnd {
				f.done = true
				return nil
			}
		}
		f.done = page.Done
		if page.Done || len(page.Events) < few {
			return nil
		}
	}
}

// finish gives the last events of a run that has closed.
func (f *follower) finish(ctx context.Context, found state) error {
	for try := 1; ; try++ {
		err := f.readUntil(ctx, 1)
		switch {
		case f.done:
			return nil
		case err == nil, queryRefused(err), found.closedOutside() && try == lastTries:
			return &ClosedError{found.runStatus()}
		case permanent(err):
			return err
		}
		if err := pause(ctx, f.trouble.next()); err != nil {
			return f.interrupted(err)
		}
	}
}

func (f *follower) interrupted(err error) error {
	return fmt.Errorf("follow run %s: %w", f.run.id, err)
}

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
			return r.wrap(ctx, "watch", err)
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
		found, err := r.describe(ctx)
		switch {
		case permanent(err):
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

// backoff gives pauses that double from low to high.
type backoff struct {
	low, high time.Duration
	current   time.Duration
}

func (b *backoff) next() time.Duration {
	b.current = min(max(2*b.current, b.low), b.high)
	return b.current
}

func (b *backoff) reset() { b.current = 0 }

// pause waits, or returns the error of a context that ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
