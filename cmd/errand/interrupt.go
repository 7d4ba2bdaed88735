package main

import (
	"context"
	"os"

	"errand/cmd/errand/ask"
)

// obey deals with Ctrl-C and SIGTERM. Whoever is at the terminal is asked what
// to do; anybody else is let go, since the run loses nothing by that.
func (s *session) obey(ctx context.Context, leave context.CancelCauseFunc) {
	detach := func() { leave(&detachedError{s.run.ID()}) }
	cancelling := false
	for {
		select {
		case <-ctx.Done():
			return
		case signal := <-s.signals:
			if signal != os.Interrupt || s.person == nil || cancelling {
				detach()
				return
			}
		}
		switch s.choose(ctx) {
		case ask.GoOn:
		case ask.Detach:
			detach()
			return
		case ask.Cancel:
			s.tell("cancelling; Ctrl-C detaches")
			if err := s.run.Cancel(ctx); err != nil && ctx.Err() == nil {
				leave(err)
				return
			}
			cancelling = true
		}
	}
}

// choose asks the person what the Ctrl-C means. Another one means to detach.
func (s *session) choose(ctx context.Context) ask.Choice {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	chosen := make(chan ask.Choice, 1)
	go func() {
		choice, err := s.person.Stop(ctx, s.run.ID())
		if err != nil {
			choice = ask.Detach
		}
		chosen <- choice
	}()
	select {
	case choice := <-chosen:
		return choice
	case <-s.signals:
		return ask.Detach
	case <-ctx.Done():
		return ask.GoOn
	}
}
