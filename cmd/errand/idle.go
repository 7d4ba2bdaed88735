package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// idlePatience is how long a run may be still before it is asked why.
	idlePatience = 5 * time.Second
	idleMost     = time.Minute
)

// idle explains a run that does not move: no worker takes it, the server is
// away, or what it needs has failed and is tried again. One without workers
// watches nothing.
type idle struct {
	// workers counts those that wait for runs; nil: nobody can tell.
	workers func(context.Context) (int, error)
	// troubles are what the run itself is held up by; nil: nobody looks.
	troubles func(context.Context) ([]trouble, error)
	patience time.Duration
	queue    string
	// start is the command that starts a worker.
	start string
	moves chan struct{}
}

func (a *app) newIdle(c *connection, patience time.Duration) *idle {
	return &idle{
		workers: c.workers, patience: patience, queue: c.queue, start: a.usage("worker"), moves: make(chan struct{}, 1),
	}
}

// newRunIdle is newIdle for a run that somebody watches.
func (a *app) newRunIdle(c *connection, runID string) *idle {
	i := a.newIdle(c, idlePatience)
	if !a.json() {
		i.troubles = func(ctx context.Context) ([]trouble, error) {
			return c.troubles(ctx, runID, a.paint(a.std.errTerminal))
		}
	}
	return i
}

// moved notes that the run did something.
func (i *idle) moved() {
	select {
	case i.moves <- struct{}{}:
	default:
	}
}

// trouble is a reason why a run does not move. Two with the same key are the
// same one, however they are worded.
type trouble struct{ key, text string }

// watch tells once what is wrong, and again only after it was well in between.
func (i *idle) watch(ctx context.Context, tell func(string)) {
	if i.workers == nil {
		return
	}
	pause, told := i.patience, map[string]bool{}
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-i.moves:
			timer.Stop()
			pause, told = i.patience, nil
			continue
		case <-timer.C:
		}
		if ctx.Err() != nil { // both were ready
			return
		}
		pause = min(2*pause, idleMost)
		known := told
		told = map[string]bool{}
		for _, one := range i.look(ctx) {
			if !known[one.key] && ctx.Err() == nil {
				tell(one.text)
			}
			told[one.key] = true
		}
	}
}

// look is everything that is wrong now.
func (i *idle) look(ctx context.Context) []trouble {
	count, err := i.workers(ctx)
	if err == nil && count == 0 {
		return []trouble{{"workers", fmt.Sprintf("No worker takes runs from task queue %q: start one with %q.", i.queue, i.start)}}
	}
	var all []trouble
	if err == nil && i.troubles != nil {
		all, err = i.troubles(ctx)
	}
	if err != nil {
		return []trouble{{"server", "Temporal does not answer; still trying. Nothing is lost."}}
	}
	return all
}
