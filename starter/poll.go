package starter

import (
	"container/heap"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"errand/workflows/contract"
)

const (
	// mostPolls bounds the polls that are under way for what may be executed,
	// and as many again that only see whether a run has moved.
	mostPolls = 16
	// A run is polled again after a quarter of the time that it has stood
	// still, within these bounds.
	shortestPause = 200 * time.Millisecond
	longestPause  = 30 * time.Second
	// unreadablePause bounds the pause before a run is polled again that could
	// not be read.
	unreadablePause = 5 * time.Minute
	// pollEvery spaces the polls of a process that serves many runs.
	pollEvery = 5 * time.Millisecond
	// noPoll is the pause where nothing is due, or find tells what has moved.
	noPoll = time.Hour
)

// polled is what a poll of a run has found.
type polled struct {
	run    *servedRun
	asking bool
	state  state
	// opened says what has opened since the run was told of.
	opened  opening
	pending bool
	// report is nil if it was not asked for.
	report *StatusReport
	err    error
}

// pollDue begins all polls that are due and allowed.
func (d *dispatcher) pollDue(ctx context.Context) {
	now := time.Now()
	for len(d.polls.runs) > 0 && d.polling-d.asking < mostPolls && !now.Before(d.polls.due()) {
		r := d.polls.runs[0]
		switch {
		case d.hasMore(r, now): // somebody's lease, or a pause, has ended
			d.queue(r)
			d.polls.set(r, now.Add(longestPause))
		case r.queued && len(r.open.working) == 0:
			d.polls.set(r, now.Add(longestPause))
		default:
			d.polls.begun(now)
			d.poll(ctx, r, false)
		}
	}
	for len(d.ready) > 0 && d.hasRoom() {
		r := d.ready[0]
		d.ready = d.ready[1:]
		r.queued = false
		switch {
		case r.over:
		case r.polling:
			r.again = true
		default:
			d.poll(ctx, r, true)
		}
	}
}

// hasRoom tells whether one more call could be taken.
func (d *dispatcher) hasRoom() bool {
	return d.asking < mostPolls && d.calls+d.asking < d.options.concurrency
}

// poll asks the server how a run stands. A worker is asked for its report:
// always, or if something may have opened or been settled and there is a use
// for it.
func (d *dispatcher) poll(ctx context.Context, r *servedRun, always bool) {
	useful := always || len(r.open.working) > 0 || d.hasRoom()
	told, pending := r.told, r.pending
	d.polls.remove(r)
	r.polling, r.moved = true, false
	d.polling++
	if useful {
		d.asking++
	}
	go func() {
		p := polled{run: r, asking: useful, opened: unknown}
		defer func() { d.polled <- p }()
		if p.state, p.err = r.run.describe(ctx); p.err != nil || p.state.closed() {
			return
		}
		if !always {
			p.opened, p.pending = r.run.openedSince(ctx, told, p.state, pending)
		}
		if useful && p.opened == unknown {
			var report StatusReport
			report, p.err = queryRun[StatusReport](ctx, r.run, contract.QueryStatus)
			p.report = &report
		}
	}()
}

// receive takes in what a poll has found; over says that the only run has ended.
func (d *dispatcher) receive(ctx context.Context, p polled) (over bool, err error) {
	d.polling--
	if p.asking {
		d.asking--
	}
	r, now := p.run, time.Now()
	r.polling = false
	if p.err != nil {
		return false, d.failed(r, p.err, now)
	}
	r.retry.reset()
	if r.seen != p.state {
		r.seen, r.movedAt = p.state, now
	}
	if p.state.closed() {
		d.leave(r)
		if p.state.closedOutside() && d.single {
			err = &ClosedError{p.state.runStatus()}
		}
		return d.single, err
	}
	if err := d.take(ctx, p); err != nil {
		return false, err
	}
	if r.again {
		r.again = false
		d.queue(r)
	}
	d.plan(r, now)
	return false, nil
}

// take brings what is known of a run's open calls up to date.
func (d *dispatcher) take(ctx context.Context, p polled) error {
	r := p.run
	switch {
	case p.report != nil:
		if r.told.execution != p.state.execution {
			r.open.forget() // a run that was reset asks again what was answered
		}
		r.told, r.pending = p.state, p.pending
		r.open.update(*p.report)
		d.unqueue(r) // this is what it was queued for
		return d.dispatch(ctx, r)
	case p.opened == unknown: // there was nobody to work for it
		r.again = true
		return nil
	case p.opened == nothingOpen:
		r.open.update(StatusReport{})
	}
	r.told, r.pending = p.state, p.pending
	return nil
}

// failed deals with a run that could not be polled. The error is what ends the
// dispatcher.
func (d *dispatcher) failed(r *servedRun, err error, now time.Time) error {
	r.again = false
	r.told = state{} // so that it is asked again
	r.retry.high = d.retry.high
	switch {
	case d.single && permanent(err):
		return err
	case errors.Is(err, ErrNotFound):
		d.leave(r)
		return nil
	case errors.Is(err, ErrNoReply), errors.Is(err, context.Canceled), d.single:
		r.log.Debug("a run does not reply", zap.Error(err))
	default:
		r.retry.high = unreadablePause
		r.log.Warn("a run cannot be read", zap.Error(err))
	}
	d.polls.set(r, now.Add(r.retry.next()))
	return nil
}

// pollAll polls all runs again soon: the server was away, and is back.
func (d *dispatcher) pollAll(now time.Time) {
	for _, r := range d.runs {
		if !r.over && !r.polling {
			r.retry.reset()
			d.polls.set(r, now)
		}
	}
}

// pollSoon polls a run that has moved.
func (d *dispatcher) pollSoon(r *servedRun, now time.Time) {
	if r.polling {
		r.moved = true
	} else if !r.over {
		d.polls.set(r, now)
	}
}

// plan says when to poll a run next.
func (d *dispatcher) plan(r *servedRun, now time.Time) {
	if r.over || r.polling {
		return
	}
	at := now.Add(noPoll)
	if !d.single {
		at = now.Add(min(max(now.Sub(r.movedAt)/4, shortestPause), longestPause))
	} else if r.moved {
		at = now
	}
	if wake, needed := r.open.wake(now); needed && wake.Before(at) {
		at = wake
	}
	d.polls.set(r, at)
}

// wait is for how long nothing is due.
func (d *dispatcher) wait(now time.Time) time.Duration {
	if len(d.polls.runs) == 0 || d.polling-d.asking >= mostPolls {
		return noPoll
	}
	return max(d.polls.due().Sub(now), 0)
}

// schedule has the runs that go on, by when to poll them again.
type schedule struct {
	runs runHeap
	// every spaces the polls, whatever the number of runs; next is the earliest
	// time of the next one.
	every time.Duration
	next  time.Time
}

// timing is a run's place in a schedule: -1 if it is not in it.
type timing struct {
	pollAt time.Time
	place  int
}

// due is when the next poll is: there must be one.
func (s *schedule) due() time.Time {
	if first := s.runs[0].pollAt; !first.Before(s.next) {
		return first
	}
	return s.next
}

// begun notes that a poll has begun.
func (s *schedule) begun(now time.Time) { s.next = now.Add(s.every) }

func (s *schedule) set(r *servedRun, at time.Time) {
	s.remove(r)
	r.pollAt = at
	heap.Push(&s.runs, r)
}

func (s *schedule) remove(r *servedRun) {
	if r.place >= 0 {
		heap.Remove(&s.runs, r.place)
	}
}

// runHeap has the run that is to be polled first at its top.
type runHeap []*servedRun

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return h[i].pollAt.Before(h[j].pollAt) }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].place, h[j].place = i, j }

// Push is for package heap.
func (h *runHeap) Push(x any) {
	r := x.(*servedRun)
	r.place = len(*h)
	*h = append(*h, r)
}

// Pop is for package heap.
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	r.place = -1
	return r
}
