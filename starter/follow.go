package starter

import (
	"context"
	"fmt"
	"iter"
	"time"

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
	// trouble paces what has to be tried again, idle the glances at a run that
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
		if f.done || lasting(err) {
			return err
		}
		if err == nil && !w.over() {
			continue
		}
		if w.over() && lasting(w.err) {
			return w.err
		}
		found, lookErr := f.run.look(ctx)
		switch {
		case lasting(lookErr):
			return lookErr
		case lookErr == nil && found.closed():
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
		case err == nil, queryRefused(err), found.abrupt() && try == lastTries:
			return &ClosedError{found.word()}
		case lasting(err):
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
