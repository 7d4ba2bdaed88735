// Package diagnose says why a run does not move: no worker takes it, the
// server is away, or what it needs has failed and is tried again.
package diagnose

import (
	"context"
	"fmt"
	"time"
)

// maxDelay is how long a watcher waits at most between two looks.
const maxDelay = time.Minute

// Watcher explains a run that does not move. One without Workers watches
// nothing.
type Watcher struct {
	// Workers counts those that wait for runs; nil: nobody can tell.
	Workers func(context.Context) (int, error)
	// Causes are what the run itself is held up by; nil: nobody looks.
	Causes func(context.Context) ([]Cause, error)
	// Delay is how long a run may be still before it is asked why.
	Delay time.Duration
	Queue string
	// StartWorker is the command that starts a worker.
	StartWorker string

	moves chan struct{}
}

// New is a watcher that looks for workers only.
func New(workers func(context.Context) (int, error), delay time.Duration, queue, startWorker string) *Watcher {
	return &Watcher{Workers: workers, Delay: delay, Queue: queue, StartWorker: startWorker, moves: make(chan struct{}, 1)}
}

// Moved notes that the run did something.
func (w *Watcher) Moved() {
	select {
	case w.moves <- struct{}{}:
	default:
	}
}

// Cause is a reason why a run does not move. Two with the same key are the
// same one, however they are worded.
type Cause struct{ Key, Text string }

// Watch tells once what is wrong, and again only after it was well in between.
func (w *Watcher) Watch(ctx context.Context, tell func(string)) {
	if w.Workers == nil {
		return
	}
	pause, told := w.Delay, map[string]bool{}
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-w.moves:
			timer.Stop()
			pause, told = w.Delay, nil
			continue
		case <-timer.C:
		}
		if ctx.Err() != nil { // both were ready
			return
		}
		pause = min(2*pause, maxDelay)
		known := told
		told = map[string]bool{}
		for _, one := range w.look(ctx) {
			if !known[one.Key] && ctx.Err() == nil {
				tell(one.Text)
			}
			told[one.Key] = true
		}
	}
}

// look is everything that is wrong now.
func (w *Watcher) look(ctx context.Context) []Cause {
	count, err := w.Workers(ctx)
	if err == nil && count == 0 {
		return []Cause{{"workers", fmt.Sprintf("No worker takes runs from task queue %q: start one with %q.", w.Queue, w.StartWorker)}}
	}
	var all []Cause
	if err == nil && w.Causes != nil {
		all, err = w.Causes(ctx)
	}
	if err != nil {
		return []Cause{{"server", "Temporal does not answer; still trying. Nothing is lost."}}
	}
	return all
}
