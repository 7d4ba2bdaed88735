package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"errand/cmd/errand/ask"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// stay accompanies a run to its end and prints what it ended with.
func (a *app) stay(ctx context.Context, c *connection, run *starter.Run, programs programs, events bool) error {
	signals, release := interruptions()
	defer release()
	s := a.newSession(run, programs)
	s.signals, s.limit = signals, c.large.answers()
	s.idle = a.newRunIdle(c, run.ID())
	if events {
		s.event = func(e contract.Event) error { return a.document(e) }
	}
	if !a.json() {
		s.tell("run " + s.paint.Bold(show.Line(run.ID())))
		if ui := webUI(c.address, c.namespace, run.ID()); ui != "" {
			s.tell("Web UI: " + ui)
		}
	}
	result, err := s.accompany(ctx)
	if err != nil {
		return err
	}
	return a.showResult(result)
}

// newSession is a session in the manner of this invocation: a person is asked
// only where one sits at both ends.
func (a *app) newSession(run followed, programs programs) *session {
	paint := a.paint(a.std.errTerminal)
	s := &session{run: run, programs: programs, paint: paint, hints: a.hints(run.ID()), idle: &idle{}}
	s.tell = func(line string) { a.notice("%s", line) }
	if !a.json() && a.std.inTerminal && a.std.errTerminal {
		s.person = ask.NewPerson(a.std.in, a.std.err, paint)
		s.tell = s.person.Say
	}
	if !a.json() {
		progress := &show.Progress{Paint: paint, Brief: true}
		s.event = func(e contract.Event) error {
			if line := progress.Line(e); line != "" {
				s.tell(line)
			}
			return nil
		}
	}
	return s
}

// showResult prints the end of a run: its text, or the whole document. A run
// that did not complete is an error as well, for the exit code.
func (a *app) showResult(result *contract.Result) error {
	if a.json() {
		if err := a.document(result); err != nil {
			return err
		}
		return endOf(result)
	}
	for _, warning := range result.Run.Warnings {
		a.notice("%s %s", a.paint(a.std.errTerminal).Wait("warning:"), show.Line(warning))
	}
	if done := result.Status == contract.Completed || result.Status == contract.Incomplete; done && result.OutputText != "" {
		if err := a.showText(result.OutputText); err != nil {
			return err
		}
	}
	return endOf(result)
}

// showText prints a text as it is, but for what a terminal would obey.
func (a *app) showText(text string) error {
	if a.std.outTerminal {
		text = "\n" + show.Block(text)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return a.print("%s", text)
}

// endOf is nil for a run that completed.
func endOf(result *contract.Result) error {
	if result.Status == contract.Completed {
		return nil
	}
	return &endError{result}
}

// resultOf waits for the end of a run. One that failed or was cancelled has a
// result like any other.
func resultOf(ctx context.Context, run followed) (*contract.Result, error) {
	result, err := run.Result(ctx)
	var failed *starter.RunFailedError
	if result != nil && (errors.As(err, &failed) || errors.Is(err, starter.ErrCancelled)) {
		return result, nil
	}
	if err == nil && result == nil {
		return nil, fmt.Errorf("run %s has no result", run.ID())
	}
	return result, err
}
