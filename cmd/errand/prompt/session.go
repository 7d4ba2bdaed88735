package prompt

import (
	"context"
	"errors"
	"iter"
	"os"
	"sync"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/program"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// Run is a run as a session sees it. *starter.Run is one.
type Run interface {
	ID() string
	Follow(ctx context.Context, after int) iter.Seq2[contract.Event, error]
	Status(ctx context.Context) (contract.StatusReport, error)
	Answer(ctx context.Context, answer contract.Answer) (contract.Receipt, error)
	Approve(ctx context.Context, approval contract.Approval) (contract.Receipt, error)
	Serve(ctx context.Context, handlers starter.Handlers, options ...starter.ServeOption) error
	Cancel(ctx context.Context) error
	Result(ctx context.Context) (*contract.Result, error)
}

var _ Run = (*starter.Run)(nil)

// Session stays with one run: it shows events, has calls answered by programs
// or by the person at the terminal, and deals with Ctrl-C.
type Session struct {
	Run      Run
	Programs program.Set
	// MaxAnswer is the size in bytes of the largest answer of a program.
	MaxAnswer int
	// Person is nil where nobody can be asked.
	Person   *Person
	Commands Commands
	Paint    show.Paint
	// Tell writes one line for people.
	Tell func(line string)
	// Event is given every event; nil shows none.
	Event   func(contract.Event) error
	Signals <-chan os.Signal
	Watcher *diagnose.Watcher
}

// DetachedError ends a session while its run goes on.
type DetachedError struct{ RunID string }

func (e *DetachedError) Error() string { return "detached from run " + e.RunID }

// Follow returns when the run has ended, or with a *DetachedError when
// nobody wants to stay.
func (s *Session) Follow(ctx context.Context) (*contract.Result, error) {
	ctx, leave := context.WithCancelCause(ctx)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer leave(nil)
	questions := newQuestions(s)
	helpers.Go(func() { s.handleSignals(ctx, leave) })
	helpers.Go(func() { s.Watcher.Watch(ctx, s.Tell) })
	helpers.Go(func() { questions.refresh(ctx) })
	helpers.Go(func() { questions.putAll(ctx) })
	if len(s.Programs) > 0 {
		helpers.Go(func() { s.serve(ctx, leave) })
	}
	result, err := s.follow(ctx, questions)
	if cause := context.Cause(ctx); cause != nil && result == nil {
		return nil, cause
	}
	return result, err
}

// follow shows the events of the run and fetches what it ends with.
func (s *Session) follow(ctx context.Context, questions *questions) (*contract.Result, error) {
	for event, err := range s.Run.Follow(ctx, 0) {
		var closed *starter.ClosedError
		if errors.As(err, &closed) {
			break // the result, if there is one, says more
		}
		if err != nil {
			return nil, err
		}
		s.Watcher.Moved()
		if s.Event != nil {
			if err := s.Event(event); err != nil {
				return nil, err
			}
		}
		questions.noticed(event)
	}
	return connect.Result(ctx, s.Run)
}

// serve has programs answer the calls that they are named for; other calls are
// left to people.
func (s *Session) serve(ctx context.Context, leave context.CancelCauseFunc) {
	err := s.Run.Serve(ctx, s.Programs.Handlers(s.MaxAnswer), starter.OnNoHandler(starter.Leave))
	var closed *starter.ClosedError
	if err != nil && ctx.Err() == nil && !errors.As(err, &closed) {
		leave(err)
	}
}

// handleSignals deals with Ctrl-C and SIGTERM. Whoever is at the terminal is asked what
// to do; anybody else is let go, since the run loses nothing by that.
func (s *Session) handleSignals(ctx context.Context, leave context.CancelCauseFunc) {
	detach := func() { leave(&DetachedError{s.Run.ID()}) }
	cancelling := false
	for {
		select {
		case <-ctx.Done():
			return
		case signal := <-s.Signals:
			if signal != os.Interrupt || s.Person == nil || cancelling {
				detach()
				return
			}
		}
		switch s.choose(ctx) {
		case GoOn:
		case Detach:
			detach()
			return
		case Cancel:
			s.Tell("cancelling; Ctrl-C detaches")
			if err := s.Run.Cancel(ctx); err != nil && ctx.Err() == nil {
				leave(err)
				return
			}
			cancelling = true
		}
	}
}

// choose asks the person what the Ctrl-C means. Another one means to detach.
func (s *Session) choose(ctx context.Context) Choice {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	chosen := make(chan Choice, 1)
	go func() {
		choice, err := s.Person.Stop(ctx, s.Run.ID())
		if err != nil {
			choice = Detach
		}
		chosen <- choice
	}()
	select {
	case choice := <-chosen:
		return choice
	case <-s.Signals:
		return Detach
	case <-ctx.Done():
		return GoOn
	}
}
