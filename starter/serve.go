package starter

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Serve executes the client-owned calls of the run with the handlers, until
// the run ends. It finds the calls that are open already, so a process that is
// started again goes on where the last one stopped, and any number of
// processes may serve one run.
//
// A call is claimed before it is executed, and the claim renewed while the
// handler runs; a call that somebody else has claimed is left alone until
// their lease ends. A crash in the middle means that the call is executed
// again: see Call.Key.
//
// Serve returns nil when the run has ended by itself, however it ended, and a
// *ClosedError when it was closed from outside. When ctx ends it takes nothing
// more, waits for the running handlers, sends what they have finished, and
// returns ctx's error. Outages are waited out. Errors also: ErrNotFound,
// *NoHandlerError under the policy Fail.
func (r *Run) Serve(ctx context.Context, handlers Handlers, options ...ServeOption) error {
	if err := handlers.check(); err != nil {
		return err
	}
	return r.interrupted(ctx, "serve", r.dispatcher(handlers, options).serve(ctx))
}

// ServeAll executes the client-owned calls of every run of the task queue, or
// of those that Matching picks, with the handlers, until ctx ends. It finds
// the runs that are there and those that start later. Any number of processes
// may do so at once: they share the work by claims, as with [Run.Serve], and
// when one dies its calls are taken over after its lease, with the same
// Call.Key.
//
// Concurrency bounds the handlers that run at the same time, 20 by default, and
// PerRun those of one run. Runs take turns: one with many calls does not keep
// the others waiting. A call to a tool without handler is left open, since
// another process may have it; OnNoHandler changes that.
//
// A run that waits costs no goroutine, only a question to the server now and
// then, the fewer the longer it has stood still. A run that cannot be read is
// logged and polled again later. Outages are waited out.
//
// When ctx ends it takes nothing more, waits for the running handlers, sends
// what they have finished, and returns ctx's error. Errors also: a query that
// the server refuses, missing permission, *NoHandlerError under the policy Fail.
func (s *Starter) ServeAll(ctx context.Context, handlers Handlers, options ...ServeOption) error {
	if err := handlers.check(); err != nil {
		return err
	}
	o := newServeOptions(append([]ServeOption{Concurrency(20), OnNoHandler(Leave)}, options...))
	d := newDispatcher(s, handlers, o)
	list := &lister{starter: s, matching: o.matching, log: d.log}
	d.find = list.runs
	d.retry = backoff{low: time.Second, high: longestPause}
	d.polls.every = pollEvery
	if err := d.serve(ctx); ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("serve all runs: %w", ctx.Err())
}

// dispatcher serves this run alone: it is told when the run moves.
func (r *Run) dispatcher(handlers Handlers, options []ServeOption) *dispatcher {
	o := newServeOptions(options)
	o.perRun = o.concurrency
	d := newDispatcher(r.starter, handlers, o)
	d.single = true
	d.find = r.moves
	d.retry = backoff{low: 100 * time.Millisecond, high: 5 * time.Second}
	return d
}

// interrupted names what the end of ctx has interrupted.
func (r *Run) interrupted(ctx context.Context, doing string, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%s run %s: %w", doing, r.id, ctx.Err())
}

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
	d := r.dispatcher(handlers, options)
	d.settled = func(a OpenAction, err error) {
		mu.Lock()
		defer mu.Unlock()
		handled = append(handled, Handled{a.Manifest, err})
	}
	d.enough = func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(handled) > 0
	}
	err := r.interrupted(ctx, "poll", d.serve(ctx))
	if err == nil && len(handled) == 0 {
		err = fmt.Errorf("poll run %s: %w", r.id, ErrEnded)
	}
	return handled, err
}
