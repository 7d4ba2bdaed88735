package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/program"
	"errand/cmd/errand/prompt"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// follow stays with a run to its end and prints what it ended with.
func (a *app) follow(ctx context.Context, c *connect.Connection, run *starter.Run, programs program.Set, events bool) error {
	signals, release := interruptions()
	defer release()
	s := a.newSession(run, programs)
	s.Signals, s.MaxAnswer = signals, c.MaxAnswer
	s.Watcher = a.runWatcher(c, run.ID())
	if events {
		s.Event = func(e contract.Event) error { return a.document(e) }
	}
	if !a.json() {
		s.Tell("run " + s.Paint.Bold(show.Line(run.ID())))
		if ui := connect.WebUI(c.Address, c.Namespace, run.ID()); ui != "" {
			s.Tell("Web UI: " + ui)
		}
	}
	result, err := s.Follow(ctx)
	if err != nil {
		return err
	}
	return a.showResult(result)
}

// newSession is a session in the manner of this invocation: a person is asked
// only where one sits at both ends.
func (a *app) newSession(run prompt.Run, programs program.Set) *prompt.Session {
	paint := a.paint(a.std.errTerminal)
	s := &prompt.Session{Run: run, Programs: programs, Paint: paint, Commands: a.commands(run.ID()), Watcher: &diagnose.Watcher{}}
	s.Tell = func(line string) { a.notice("%s", line) }
	if !a.json() && a.std.inTerminal && a.std.errTerminal {
		s.Person = prompt.NewPerson(a.std.in, a.std.err, paint)
		s.Tell = s.Person.Say
	}
	if !a.json() {
		progress := &show.Progress{Paint: paint, Brief: true}
		s.Event = func(e contract.Event) error {
			if line := progress.Line(e); line != "" {
				s.Tell(line)
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

const tailHelp = `Print the events of a run as they happen, from the first one on, until the run
ends; then exit as "{errand} run" would. Nothing is answered: see attach.`

func (a *app) tailCommand() *cobra.Command {
	var after int
	var noFollow bool
	command := &cobra.Command{
		Use:     "tail <run>",
		Short:   "Print the events of a run as they happen",
		Long:    tailHelp,
		Example: "  {errand} tail last --after 20 -o json",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withRun(ctx, args[0], func(c *connect.Connection, run *starter.Run) error {
				if noFollow {
					return a.tailPast(ctx, run, after)
				}
				return a.tail(ctx, c, run, after)
			})
		},
	}
	command.Flags().IntVar(&after, "after", 0, "leave out the events up to this number")
	command.Flags().BoolVar(&noFollow, "no-follow", false, "print what has happened so far and end")
	return command
}

// tail follows the run to its end.
func (a *app) tail(ctx context.Context, c *connect.Connection, run *starter.Run, after int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watching := a.runWatcher(c, run.ID())
	go watching.Watch(ctx, func(line string) { a.notice("%s", line) })
	write := a.eventWriter()
	for event, err := range run.Follow(ctx, after) {
		var closed *starter.ClosedError
		if errors.As(err, &closed) {
			break // the result, if there is one, says more
		}
		if err != nil {
			return err
		}
		watching.Moved()
		if err := write(event); err != nil {
			return err
		}
	}
	result, err := connect.Result(ctx, run)
	if err != nil {
		return err
	}
	return endOf(result)
}

// tailPast prints the events that there are.
func (a *app) tailPast(ctx context.Context, run *starter.Run, after int) error {
	write := a.eventWriter()
	for {
		page, err := run.Events(ctx, after)
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			if err := write(event); err != nil {
				return err
			}
		}
		if len(page.Events) == 0 || page.Done {
			return nil
		}
		after = page.Next
	}
}

// eventWriter prints events to standard output, as lines or as JSON.
func (a *app) eventWriter() func(contract.Event) error {
	if a.json() {
		return func(e contract.Event) error { return a.document(e) }
	}
	progress := &show.Progress{Paint: a.paint(a.std.outTerminal), Clock: time.Local}
	return func(e contract.Event) error {
		if line := progress.Line(e); line != "" {
			return a.print("%s\n", line)
		}
		return nil
	}
}
