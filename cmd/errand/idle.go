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

// idle explains a run that does not move: no worker takes it, or the server is
// away. One without workers watches nothing.
type idle struct {
	// workers counts those that wait for runs; nil: nobody can tell.
	workers  func(context.Context) (int, error)
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

// moved notes that the run did something.
func (i *idle) moved() {
	select {
	case i.moves <- struct{}{}:
	default:
	}
}

// watch tells once what is wrong, and again only after it was well in between.
func (i *idle) watch(ctx context.Context, tell func(string)) {
	if i.workers == nil {
		return
	}
	pause, told := i.patience, ""
	for {
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-i.moves:
			timer.Stop()
			pause, told = i.patience, ""
			continue
		case <-timer.C:
		}
		pause = min(2*pause, idleMost)
		complaint := i.complaint(ctx)
		if complaint != "" && complaint != told && ctx.Err() == nil {
			tell(complaint)
		}
		told = complaint
	}
}

func (i *idle) complaint(ctx context.Context) string {
	count, err := i.workers(ctx)
	switch {
	case err != nil:
		return "Temporal does not answer; still trying. Nothing is lost."
	case count == 0:
		return fmt.Sprintf("No worker takes runs from task queue %q: start one with %q.", i.queue, i.start)
	}
	return ""
}
