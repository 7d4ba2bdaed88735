package starter

import (
	"context"
	"fmt"
	"sync"
)

// Handled is a call that PollAction has answered. Its manifest has both of its
// ids.
type Handled struct {
	Manifest
	// Err is why the call failed: the error or panic of its handler, missing
	// arguments, no handler. The model has been told. Nil: it went well.
	Err error
}

// PollAction waits until the run has open calls, executes all of them with the
// handlers, and returns what became of each: one step of Serve, for who decides
// after each step. Calls that somebody else has claimed are waited for only
// while there is nothing else.
//
// It returns ErrEnded when the run has ended before a call came, a *ClosedError
// when it was closed from outside, and ctx's error when that has ended first,
// which says nothing about the run. Calls that were answered until then are
// returned with the error. The options are those of Serve; a call without
// handler that is left alone is not an open one here.
func (r *Run) PollAction(ctx context.Context, handlers Handlers, options ...ServeOption) ([]Handled, error) {
	if err := handlers.check(); err != nil {
		return nil, err
	}
	var (
		mu      sync.Mutex
		handled []Handled
	)
	s := r.newServer(handlers, options)
	s.settled = func(a OpenAction, err error) {
		mu.Lock()
		defer mu.Unlock()
		handled = append(handled, Handled{a.Manifest, err})
	}
	s.enough = func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(handled) > 0
	}
	err := r.interrupted(ctx, "poll", s.begin(ctx))
	if err == nil && len(handled) == 0 {
		err = fmt.Errorf("poll run %s: %w", r.id, ErrEnded)
	}
	return handled, err
}
