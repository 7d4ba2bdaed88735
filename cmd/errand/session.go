package main

import (
	"context"
	"errors"
	"iter"
	"os"
	"sync"

	"errand/cmd/errand/ask"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// followed is a run as a session sees it. *starter.Run is one.
type followed interface {
	ID() string
	Follow(ctx context.Context, after int) iter.Seq2[contract.Event, error]
	Status(ctx context.Context) (contract.StatusReport, error)
	Answer(ctx context.Context, answer contract.Answer) (contract.Receipt, error)
	Approve(ctx context.Context, approval contract.Approval) (contract.Receipt, error)
	Serve(ctx context.Context, handlers starter.Handlers, options ...starter.ServeOption) error
	Cancel(ctx context.Context) error
	Result(ctx context.Context) (*contract.Result, error)
}

var _ followed = (*starter.Run)(nil)

// session stays with one run: it shows events, has calls answered by programs
// or by the person at the terminal, and deals with Ctrl-C.
type session struct {
	run      followed
	programs programs
	// limit is the size in bytes of the largest answer.
	limit int
	// person is nil where nobody can be asked.
	person *ask.Person
	hints  hints
	paint  show.Paint
	// tell writes one line for people.
	tell func(line string)
	// event is given every event; nil shows none.
	event   func(contract.Event) error
	signals <-chan os.Signal
	idle    *idle
}

// accompany returns when the run has ended, or with a *detachedError when
// nobody wants to stay.
func (s *session) accompany(ctx context.Context) (*contract.Result, error) {
	ctx, leave := context.WithCancelCause(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer leave(nil)
	questions := newQuestions(s)
	helpers.Go(func() { s.obey(ctx, leave) })
	helpers.Go(func() { s.idle.watch(ctx, s.tell) })
	helpers.Go(func() { questions.keep(ctx) })
	helpers.Go(func() { questions.interview(ctx) })
	if len(s.programs) > 0 {
		helpers.Go(func() { s.serve(ctx, leave) })
	}
	result, err := s.follow(ctx, questions)
	if cause := context.Cause(ctx); cause != nil && result == nil {
		return nil, cause
	}
	return result, err
}

// follow shows the events of the run and fetches what it ends with.
func (s *session) follow(ctx context.Context, questions *questions) (*contract.Result, error) {
	for event, err := range s.run.Follow(ctx, 0) {
		var closed *starter.ClosedError
		if errors.As(err, &closed) {
			break // the result, if there is one, says more
		}
		if err != nil {
			return nil, err
		}
		s.idle.moved()
		if s.event != nil {
			if err := s.event(event); err != nil {
				return nil, err
			}
		}
		questions.hear(event)
	}
	return resultOf(ctx, s.run)
}

// serve has programs answer the calls that they are named for; other calls are
// left to people.
func (s *session) serve(ctx context.Context, leave context.CancelCauseFunc) {
	err := s.run.Serve(ctx, s.programs.handlers(s.limit), starter.OnNoHandler(starter.Leave))
	var closed *starter.ClosedError
	if err != nil && ctx.Err() == nil && !errors.As(err, &closed) {
		leave(err)
	}
}
