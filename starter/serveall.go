package starter

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"
)

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
// logged and looked at again later. Outages are waited out.
//
// When ctx ends it takes nothing more, waits for the running handlers, sends
// what they have finished, and returns ctx's error. Errors also: a query that
// the server refuses, missing permission, *NoHandlerError under the policy Fail.
func (s *Starter) ServeAll(ctx context.Context, handlers Handlers, options ...ServeOption) error {
	if err := handlers.check(); err != nil {
		return err
	}
	o := newServeOptions(append([]ServeOption{Concurrency(20), OnNoHandler(Leave)}, options...))
	all := &office{
		starter: s, handlers: handlers, options: o,
		log:    s.log.With(zap.String("owner", o.owner)),
		runs:   map[string]*served{},
		looked: make(chan looked), done: make(chan finishedIn),
	}
	return all.serve(ctx)
}

// office is one ServeAll under way. Its loop owns everything in it; looks and
// calls run in goroutines of their own and report on the channels.
type office struct {
	starter  *Starter
	handlers Handlers
	options  serveOptions
	log      *zap.Logger

	runs map[string]*served
	// pass counts the lists of runs so far.
	pass int
	// unindexedUntil is for the one who lists: see mayWait.
	unindexedUntil time.Time
	// ready are runs that may have something to execute, first come first.
	ready []*served
	// glances are all runs that go on, by when to look at them again; glanceAt
	// is the earliest time of the next one.
	glances  glances
	glanceAt time.Time

	calls   int // handlers running
	others  int // approvals being decided
	looking int // looks under way
	asking  int // those of them that may bring calls
	looked  chan looked
	done    chan finishedIn
}

// served is what an office knows of one run.
type served struct {
	clerk
	desk *desk
	// seen is how the run stood last, told how it stood before the desk's
	// report was made. They differ when there is something new.
	seen, told state
	// movedAt is when it was last seen to have moved.
	movedAt time.Time
	trouble backoff
	// listed is the pass that last found it, execution what it found.
	listed    int
	execution string

	queued  bool // in ready
	looking bool
	again   bool // it was queued while it was looked at
	over    bool // it has ended, or is none that can be served
	// glanceAt and place are those in the office's glances.
	glanceAt time.Time
	place    int
}

// finishedIn is work that has ended, and in which run.
type finishedIn struct {
	finished
	run *served
}

func (o *office) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lists := o.list(ctx)
	err := o.loop(ctx, lists)
	cancel()
	for o.looking+o.calls+o.others > 0 {
		select {
		case <-o.looked:
			o.looking--
		case f := <-o.done:
			o.settle(f)
		}
	}
	for range lists { // ends with the one who lists
	}
	return err
}

func (o *office) loop(ctx context.Context, lists <-chan listing) error {
	for {
		o.look(ctx)
		timer := time.NewTimer(o.wait(time.Now()))
		var err error
		select {
		case <-ctx.Done():
			err = fmt.Errorf("serve all runs: %w", ctx.Err())
		case l := <-lists:
			if err = l.err; err == nil {
				o.learn(l)
			}
		case l := <-o.looked:
			err = o.see(ctx, l)
		case f := <-o.done:
			o.settle(f)
		case <-timer.C:
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// take starts what may be started of a run that has just been reported.
func (o *office) take(ctx context.Context, s *served) error {
	defer s.desk.forgetContents()
	for o.options.decide != nil {
		approval, found := s.desk.nextApproval(time.Now())
		if !found {
			break
		}
		o.others++
		o.start(ctx, s, approval.ApprovalRequestID, false, func(job context.Context) finished {
			return s.ask(job, approval)
		})
	}
	for {
		action, found := s.desk.nextAction(time.Now())
		if !found {
			return nil
		}
		handler, known := o.handlers[handlerName(action.Manifest)]
		switch {
		case !known && o.options.noHandler == Leave:
			s.desk.off[action.ActionID] = true
		case !known && o.options.noHandler == Fail:
			return &NoHandlerError{Tool: handlerName(action.Manifest)}
		case s.desk.calls >= o.options.perRun:
			return nil // until one of them has ended
		case o.calls >= o.options.concurrency:
			o.queue(s)
			return nil
		default:
			o.calls++
			o.start(ctx, s, action.ActionID, true, func(job context.Context) finished {
				return s.execute(job, action, handler)
			})
		}
	}
}

// start runs one piece of work. It always reports.
func (o *office) start(ctx context.Context, s *served, id string, call bool, work func(context.Context) finished) {
	s.desk.start(ctx, id, call, work, o.options.lease, func(f finished) { o.done <- finishedIn{f, s} })
}

// settle notes how a piece of work went.
func (o *office) settle(f finishedIn) {
	if f.call {
		o.calls--
	} else {
		o.others--
	}
	s, now := f.run, time.Now()
	if f.err != nil {
		s.log.Warn("a call could not be served", zap.String("id", f.id), zap.Error(f.err))
		f.pause = s.trouble.next()
	}
	s.desk.end(f.finished, now)
	if s.over {
		return
	}
	s.movedAt = now
	if o.hasMore(s, now) || s.desk.report.ActionsLeftOut > 0 {
		o.queue(s)
	}
	o.plan(s, now)
}

// hasMore tells whether a run has something that may be taken now.
func (o *office) hasMore(s *served, now time.Time) bool {
	if _, found := s.desk.nextAction(now); found {
		return true
	}
	_, found := s.desk.nextApproval(now)
	return found && o.options.decide != nil
}

// queue has a run looked at as soon as there is somebody to work for it.
func (o *office) queue(s *served) {
	switch {
	case s.over || s.queued:
	case s.looking:
		s.again = true
	default:
		s.queued = true
		o.ready = append(o.ready, s)
	}
}

// forgetContents drops what calls say: a run that waits for somebody else may
// do so for long, and its report is asked for again before its calls are taken.
func (d *desk) forgetContents() {
	for i := range d.report.Actions {
		a := &d.report.Actions[i]
		a.Args, a.Input = nil, nil
	}
	for i := range d.report.Approvals {
		d.report.Approvals[i].Args = nil
	}
}
