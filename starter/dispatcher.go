package starter

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"
)

// dispatcher is one Serve or ServeAll under way: it knows the runs and starts
// what is to be executed of them. Its loop owns everything in it; polls, calls
// and approvals run in goroutines of their own and report on the channels.
type dispatcher struct {
	starter  *Starter
	handlers Handlers
	options  serveOptions
	log      *zap.Logger
	// find tells which runs there are, until ctx ends; then it closes the
	// channel.
	find func(ctx context.Context) <-chan discovery
	// retry is the pause before a run that could not be polled is polled again.
	retry backoff
	// single: there is one run, which find tells of whenever it has moved.
	// Its end, and what is wrong with it, end the dispatcher.
	single bool
	// settled and enough are for PollAction: see executor, and idle.
	settled settledFunc
	enough  func() bool

	runs map[string]*servedRun
	// lists counts the discoveries so far.
	lists int
	// ready are runs that may have something to execute, first come first.
	ready []*servedRun
	polls schedule

	calls     int // handlers running
	approvals int // approvals being decided
	polling   int // polls under way
	asking    int // those of them that may bring calls
	polled    chan polled
	done      chan finished
}

// servedRun is what a dispatcher knows of one run.
type servedRun struct {
	executor
	open *openCalls
	// seen is how the run stood last, told how it stood when the open calls
	// were known. They differ when there may be something new. pending: what
	// came in until told has not been taken in by the run.
	seen, told state
	pending    bool
	// movedAt is when it was last seen to have moved.
	movedAt time.Time
	retry   backoff
	// list is the discovery that last found it, execution what it found.
	list      int
	execution string

	queued  bool // in ready
	polling bool
	again   bool // it was queued while it was polled
	moved   bool // it has moved since the poll began
	over    bool // it has ended, or is none that can be served
	timing
}

// finished tells how a piece of work went.
type finished struct {
	run  *servedRun
	id   string
	call bool
	// off: nothing is left to do about it. Else it is looked at again after
	// the pause.
	off   bool
	pause time.Duration
	// err is what trying again cannot help.
	err error
}

func newDispatcher(s *Starter, handlers Handlers, o serveOptions) *dispatcher {
	return &dispatcher{
		starter: s, handlers: handlers, options: o, log: s.log.With(zap.String("owner", o.owner)),
		runs: map[string]*servedRun{}, polled: make(chan polled), done: make(chan finished),
	}
}

// serve works until ctx ends or something ends the loop, and then waits for
// what is under way.
func (d *dispatcher) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := d.find(ctx)
	err := d.loop(ctx, found)
	cancel()
	for d.polling+d.calls+d.approvals > 0 {
		select {
		case <-d.polled:
			d.polling--
		case f := <-d.done:
			_ = d.finish(ctx, f) // the first error is told
		}
	}
	for range found { // ends with the one who finds them
	}
	return err
}

func (d *dispatcher) loop(ctx context.Context, found <-chan discovery) error {
	for {
		d.pollDue(ctx)
		if d.enough != nil && d.idle() && d.enough() {
			return nil
		}
		timer := time.NewTimer(d.wait(time.Now()))
		var (
			err  error
			over bool
		)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case l := <-found:
			err = d.learn(l)
		case p := <-d.polled:
			over, err = d.receive(ctx, p)
		case f := <-d.done:
			err = d.finish(ctx, f)
		case <-timer.C:
		}
		timer.Stop()
		if err != nil || over {
			return err
		}
	}
}

// idle tells whether nothing is under way or due at once.
func (d *dispatcher) idle() bool { return d.polling+d.calls+d.approvals+len(d.ready) == 0 }

// learn takes in which runs there are.
func (d *dispatcher) learn(found discovery) error {
	if found.err != nil {
		return found.err
	}
	d.lists++
	now := time.Now()
	if found.late {
		d.pollAll(now)
	}
	// The order of a map is a different one in every process, so that several
	// do not run after the same calls.
	for id, execution := range found.executions {
		r, known := d.runs[id]
		switch {
		case !known, r.over && r.execution != execution: // new, or an id that is used again
			r = d.add(id, now)
		case d.single:
			d.pollSoon(r, now)
		case r.list < d.lists-1: // it waits again
			d.queue(r)
		}
		r.list, r.execution = d.lists, execution
	}
	for id, r := range d.runs {
		idle := len(r.open.working) == 0 && !r.polling && !r.queued
		if idle && r.list < d.lists-1 && (r.over || now.Sub(r.movedAt) > keepFor) {
			d.polls.remove(r)
			delete(d.runs, id)
		}
	}
	return nil
}

func (d *dispatcher) add(id string, now time.Time) *servedRun {
	run := d.starter.Attach(id)
	r := &servedRun{
		executor: executor{
			run: run, handlers: d.handlers, options: d.options, settled: d.settled,
			log: run.log.With(zap.String("owner", d.options.owner)),
		},
		open: newOpenCalls(d.options.owner), movedAt: now, retry: d.retry, timing: timing{place: -1},
	}
	d.runs[id] = r
	d.queue(r)
	return r
}

// dispatch starts what may be started of a run that has just been reported.
func (d *dispatcher) dispatch(ctx context.Context, r *servedRun) error {
	if !d.single {
		defer r.open.forgetContents()
	}
	for d.options.decide != nil {
		approval, found := r.open.nextApproval(time.Now())
		if !found {
			break
		}
		d.approvals++
		d.start(ctx, r, approval.ApprovalRequestID, false, func(job context.Context) finished {
			return r.approve(job, approval)
		})
	}
	for {
		action, found := r.open.nextAction(time.Now())
		if !found {
			return nil
		}
		handler, known := d.handlers[handlerName(action.Manifest)]
		switch {
		case !known && d.options.noHandler == Leave:
			r.open.off[action.ActionID] = true
		case !known && d.options.noHandler == Fail:
			return &NoHandlerError{Tool: handlerName(action.Manifest)}
		case r.open.calls >= d.options.perRun:
			return nil // until one of them has ended
		case d.calls >= d.options.concurrency:
			d.queue(r)
			return nil
		default:
			d.calls++
			d.start(ctx, r, action.ActionID, true, func(job context.Context) finished {
				return r.execute(job, action, handler)
			})
		}
	}
}

// start runs one piece of work. It always reports, even if a handler ends its
// goroutine: then the call is looked at again after a lease.
func (d *dispatcher) start(ctx context.Context, r *servedRun, id string, call bool, work func(context.Context) finished) {
	job, stop := context.WithCancelCause(ctx)
	r.open.begin(id, call, stop)
	go func() {
		f := finished{pause: d.options.lease}
		defer func() {
			stop(nil)
			f.run, f.id, f.call = r, id, call
			d.done <- f
		}()
		f = work(job)
	}()
}

// finish notes how a piece of work went.
func (d *dispatcher) finish(ctx context.Context, f finished) error {
	if f.call {
		d.calls--
	} else {
		d.approvals--
	}
	r, now := f.run, time.Now()
	if f.err != nil {
		if d.single {
			r.open.end(f, now)
			return f.err
		}
		r.log.Warn("a call could not be served", zap.String("id", f.id), zap.Error(f.err))
		f.pause = r.retry.next()
	}
	r.open.end(f, now)
	if r.over {
		return nil
	}
	r.movedAt = now
	if d.single && f.off && ctx.Err() == nil { // nobody else has to have a turn
		if err := d.dispatch(ctx, r); err != nil {
			return err
		}
	}
	if d.hasMore(r, now) || r.open.report.ActionsLeftOut > 0 {
		d.queue(r)
	}
	d.plan(r, now)
	return nil
}

// hasMore tells whether a run has something that may be taken now.
func (d *dispatcher) hasMore(r *servedRun, now time.Time) bool {
	if _, found := r.open.nextAction(now); found && r.open.calls < d.options.perRun {
		return true
	}
	_, found := r.open.nextApproval(now)
	return found && d.options.decide != nil
}

// queue has a run polled as soon as there is somebody to work for it.
func (d *dispatcher) queue(r *servedRun) {
	switch {
	case r.over || r.queued:
	case r.polling:
		r.again = true
	default:
		r.queued = true
		d.ready = append(d.ready, r)
	}
}

// unqueue takes a run back that has just been polled.
func (d *dispatcher) unqueue(r *servedRun) {
	r.again = false
	if r.queued {
		r.queued = false
		d.ready = slices.DeleteFunc(d.ready, func(other *servedRun) bool { return other == r })
	}
}

// leave stops all work on a run that has ended.
func (d *dispatcher) leave(r *servedRun) {
	r.over = true
	d.polls.remove(r)
	r.open.cancel(ErrEnded)
}
