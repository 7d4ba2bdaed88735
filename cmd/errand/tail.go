package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

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
			return a.withRun(ctx, args[0], func(c *connection, run *starter.Run) error {
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
func (a *app) tail(ctx context.Context, c *connection, run *starter.Run, after int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watching := a.newRunIdle(c, run.ID())
	go watching.watch(ctx, func(line string) { a.notice("%s", line) })
	write := a.eventWriter()
	for event, err := range run.Follow(ctx, after) {
		var closed *starter.ClosedError
		if errors.As(err, &closed) {
			break // the result, if there is one, says more
		}
		if err != nil {
			return err
		}
		watching.moved()
		if err := write(event); err != nil {
			return err
		}
	}
	result, err := resultOf(ctx, run)
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
