package starter

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"errand/workflows/contract"
)

const (
	// mostLooks bounds the looks that are under way for what may be executed,
	// and as many again that only see whether a run has moved.
	mostLooks = 16
	// A run is glanced at again after a quarter of the time that it has stood
	// still, within these bounds.
	soonestGlance = 200 * time.Millisecond
	latestGlance  = 30 * time.Second
	// latestPuzzle bounds the pause before a run is looked at again that could
	// not be read.
	latestPuzzle = 5 * time.Minute
	// glanceEvery spaces the glances of a process, whatever the number of runs.
	glanceEvery = 5 * time.Millisecond
)

// looked is what a look at a run has found.
type looked struct {
	run    *served
	asking bool
	state  state
	// report is nil if it was not asked for.
	report *contract.StatusReport
	err    error
}

// look begins all looks that are due and allowed.
func (o *office) look(ctx context.Context) {
	now := time.Now()
	for len(o.glances) > 0 && o.looking-o.asking < mostLooks && !now.Before(o.due()) {
		s := o.glances[0]
		switch {
		case o.hasMore(s, now): // somebody's lease, or a pause, has ended
			o.queue(s)
			o.glanceAgain(s, now.Add(latestGlance))
		case s.queued && len(s.desk.working) == 0:
			o.glanceAgain(s, now.Add(latestGlance))
		default:
			o.glanceAt = now.Add(glanceEvery)
			o.begin(ctx, s, false)
		}
	}
	for len(o.ready) > 0 && o.hasRoom() {
		s := o.ready[0]
		o.ready = o.ready[1:]
		s.queued = false
		switch {
		case s.over:
		case s.looking:
			s.again = true
		default:
			o.begin(ctx, s, true)
		}
	}
}

// hasRoom tells whether one more call could be taken.
func (o *office) hasRoom() bool {
	return o.asking < mostLooks && o.calls+o.asking < o.options.concurrency
}

// begin looks at a run. What is asked of a worker, and not only of the server,
// is its report: always, or if it has moved and there is a use for it.
func (o *office) begin(ctx context.Context, s *served, always bool) {
	ifMoved := always || len(s.desk.working) > 0 || o.hasRoom()
	told := s.told
	o.glances.remove(s)
	s.looking = true
	o.looking++
	if ifMoved {
		o.asking++
	}
	go func() {
		l := looked{run: s, asking: ifMoved}
		defer func() { o.looked <- l }()
		if l.state, l.err = s.run.look(ctx); l.err != nil || l.state.closed() {
			return
		}
		if always || ifMoved && l.state != told {
			var report contract.StatusReport
			report, l.err = ask[contract.StatusReport](ctx, s.run, contract.QueryStatus)
			l.report = &report
		}
	}()
}

// see takes in what a look has found.
func (o *office) see(ctx context.Context, l looked) error {
	o.looking--
	if l.asking {
		o.asking--
	}
	s, now := l.run, time.Now()
	s.looking = false
	if l.err != nil {
		o.puzzle(s, l.err, now)
		return nil
	}
	s.trouble.reset()
	if s.seen != l.state {
		s.seen, s.movedAt = l.state, now
	}
	if l.state.closed() {
		o.leave(s)
		return nil
	}
	if l.report != nil {
		if s.told.execution != l.state.execution {
			s.desk.forget() // a run that was reset asks again what was answered
		}
		s.told = l.state
		s.desk.update(*l.report)
		if err := o.take(ctx, s); err != nil {
			return err
		}
	} else if s.told != s.seen {
		s.again = true
	}
	if s.again {
		s.again = false
		o.queue(s)
	}
	o.plan(s, now)
	return nil
}

// puzzle deals with a run that could not be looked at.
func (o *office) puzzle(s *served, err error, now time.Time) {
	s.again = false
	s.told = state{} // so that it is asked again
	switch {
	case errors.Is(err, ErrNotFound):
		o.leave(s)
		return
	case errors.Is(err, ErrNoReply), errors.Is(err, context.Canceled):
		s.trouble.high = latestGlance
		s.log.Debug("a run does not reply", zap.Error(err))
	default:
		s.trouble.high = latestPuzzle
		s.log.Warn("a run cannot be read", zap.Error(err))
	}
	o.glanceAgain(s, now.Add(s.trouble.next()))
}

// hurry looks at all runs again soon: the server was away, and is back.
func (o *office) hurry(now time.Time) {
	for _, s := range o.runs {
		if !s.over && !s.looking {
			s.trouble.reset()
			o.glanceAgain(s, now)
		}
	}
}

// leave stops all work on a run that has ended.
func (o *office) leave(s *served) {
	s.over = true
	o.glances.remove(s)
	for _, cancel := range s.desk.working {
		cancel(ErrEnded)
	}
}

// plan says when to glance at a run next.
func (o *office) plan(s *served, now time.Time) {
	if s.over || s.looking {
		return
	}
	at := now.Add(min(max(now.Sub(s.movedAt)/4, soonestGlance), latestGlance))
	if wake, needed := s.desk.wake(now); needed && wake.Before(at) {
		at = wake
	}
	o.glanceAgain(s, at)
}

func (o *office) glanceAgain(s *served, at time.Time) {
	o.glances.remove(s)
	s.glanceAt = at
	heap.Push(&o.glances, s)
}

// due is when the next glance is: there must be one.
func (o *office) due() time.Time {
	first := o.glances[0].glanceAt
	if first.Before(o.glanceAt) {
		return o.glanceAt
	}
	return first
}

// wait is for how long nothing is due.
func (o *office) wait(now time.Time) time.Duration {
	if len(o.glances) == 0 || o.looking-o.asking >= mostLooks {
		return longPause
	}
	return max(o.due().Sub(now), 0)
}

// glances is a heap of runs by the time to look at them. A run that is not in
// it has the place -1.
type glances []*served

func (g glances) Len() int { return len(g) }
func (g glances) Less(i, j int) bool {
	return cmp.Compare(g[i].glanceAt.UnixNano(), g[j].glanceAt.UnixNano()) < 0
}
func (g glances) Swap(i, j int) { g[i], g[j] = g[j], g[i]; g[i].place, g[j].place = i, j }

// Push is for package heap.
func (g *glances) Push(x any) {
	s := x.(*served)
	s.place = len(*g)
	*g = append(*g, s)
}

// Pop is for package heap.
func (g *glances) Pop() any {
	last := len(*g) - 1
	s := (*g)[last]
	(*g)[last] = nil
	*g = (*g)[:last]
	s.place = -1
	return s
}

func (g *glances) remove(s *served) {
	if s.place >= 0 {
		heap.Remove(g, s.place)
	}
}
