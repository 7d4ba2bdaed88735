package starter

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"errand/workflows/contract"
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
	s := r.newServer(handlers, options)
	return r.interrupted(ctx, "serve", s.begin(ctx))
}

func (r *Run) newServer(handlers Handlers, options []ServeOption) *server {
	o := newServeOptions(options)
	s := &server{
		clerk: clerk{run: r, handlers: handlers, options: o, log: r.log.With(zap.String("owner", o.owner))},
		desk:  newDesk(o.owner), done: make(chan finished),
		trouble: backoff{low: 100 * time.Millisecond, high: 5 * time.Second},
	}
	s.settling = func(a contract.OpenAction) {
		round, _, _ := contract.Place(a.ActionID)
		s.answered.Store(callKey{round, a.ToolCallID}, true)
	}
	return s
}

// interrupted names what the end of ctx has interrupted.
func (r *Run) interrupted(ctx context.Context, doing string, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%s run %s: %w", doing, r.id, ctx.Err())
}

// longPause is how long Serve trusts that it is told of everything.
const longPause = time.Hour

// server is one Serve under way. Its loop owns the desk; calls and approvals
// run in goroutines of their own and report on done.
type server struct {
	clerk
	desk *desk
	done chan finished
	// stale: the desk's report is out of date. retryAt paces asking for a new
	// one while no worker answers.
	stale   bool
	retryAt time.Time
	trouble backoff
	// enough ends the loop when it says so and nothing is under way: see
	// PollAction. Nil: the end of the run does.
	enough func() bool
	// answered has the calls that were settled from here, by callKey.
	answered sync.Map
}

// finished tells the loop how a piece of work went.
type finished struct {
	id   string
	call bool
	// off: nothing is left to do about it. Else it is looked at again after
	// the pause.
	off   bool
	pause time.Duration
	// taken: the run took the outcome.
	taken bool
	// err ends Serve.
	err error
}

func (s *server) begin(ctx context.Context) error {
	report, err := s.run.firstReport(ctx)
	if err != nil || report.Status.Terminal() {
		return err
	}
	s.desk.update(report)
	return s.serve(ctx, report.Events)
}

func (s *server) serve(ctx context.Context, after int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	news := s.listen(ctx, after)
	err := s.loop(ctx, news)
	cancel(ErrEnded)
	for len(s.desk.working) > 0 {
		s.settle(<-s.done)
	}
	<-news.closed
	return err
}

func (s *server) loop(ctx context.Context, news *news) error {
	for {
		if err := s.refresh(ctx); err != nil {
			return err
		}
		if err := s.dispatch(ctx); err != nil {
			return err
		}
		if s.enough != nil && !s.stale && len(s.desk.working) == 0 && s.enough() {
			return nil
		}
		timer := s.timer()
		select {
		case <-ctx.Done():
		case <-news.closed:
		case <-news.changed:
			s.stale = true
		case f := <-s.done:
			s.settle(f)
			if f.err != nil {
				return f.err
			}
		case <-timer.C:
			s.stale = true
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if news.over() {
			return news.err
		}
	}
}

// refresh gets a new report if one is needed and it is time.
func (s *server) refresh(ctx context.Context) error {
	if !s.stale || time.Now().Before(s.retryAt) {
		return nil
	}
	report, err := s.run.Status(ctx)
	switch {
	case err == nil:
		s.stale, s.retryAt = false, time.Time{}
		s.trouble.reset()
		s.desk.update(report)
	case lasting(err):
		return err
	default:
		s.retryAt = time.Now().Add(s.trouble.next())
		s.log.Debug("waiting for a worker", zap.Error(err))
	}
	return nil
}

// dispatch starts everything that may be started now.
func (s *server) dispatch(ctx context.Context) error {
	for s.desk.calls < s.options.concurrency {
		action, found := s.desk.nextAction(time.Now())
		if !found {
			break
		}
		handler, known := s.handlers[handlerName(action.Manifest)]
		switch {
		case known || s.options.noHandler == Refuse:
			s.start(ctx, action.ActionID, true, func(job context.Context) finished {
				return s.execute(job, action, handler)
			})
		case s.options.noHandler == Leave:
			s.desk.off[action.ActionID] = true
		default:
			return &NoHandlerError{Tool: handlerName(action.Manifest)}
		}
	}
	for s.options.decide != nil {
		approval, found := s.desk.nextApproval(time.Now())
		if !found {
			break
		}
		s.start(ctx, approval.ApprovalRequestID, false, func(job context.Context) finished {
			return s.ask(job, approval)
		})
	}
	return nil
}

// start runs one piece of work.
func (s *server) start(ctx context.Context, id string, call bool, work func(context.Context) finished) {
	s.desk.start(ctx, id, call, work, s.options.lease, func(f finished) { s.done <- f })
}

func (s *server) settle(f finished) {
	s.desk.end(f, time.Now())
	if !f.off || s.desk.report.ActionsLeftOut > 0 {
		s.stale = true
	}
}

// timer fires when something that was left alone has to be looked at again.
func (s *server) timer() *time.Timer {
	now := time.Now()
	at := now.Add(longPause)
	if wake, needed := s.desk.wake(now); needed && wake.Before(at) {
		at = wake
	}
	if s.stale && s.retryAt.Before(at) {
		at = s.retryAt
	}
	return time.NewTimer(at.Sub(now))
}
