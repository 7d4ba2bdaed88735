package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/show"
	"errand/cmd/errand/words"
	"errand/starter"
)

// cancelWait is how long a cancelled run may take to end.
const cancelWait = 15 * time.Second

func (a *app) cancelCommand() *cobra.Command {
	var noWait bool
	var stop stopFlags
	command := &cobra.Command{
		Use:   "cancel <run>",
		Short: "Cancel a run",
		Long: `Cancel a run and wait, at most 15 seconds, until it has ended: calls that run
are stopped, open ones are closed, what was done is kept in the result.

With --after tools the tools that run come to their end first, and with --after
round the whole round does, clients and people included. The run then ends
incomplete, with the reason "stopped". A harder stop may follow a milder one.`,
		Example: `  {errand} cancel last
  {errand} cancel last --after tools --reason "wrong ticket"`,
		Args: wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withRun(ctx, args[0], func(c *connection, run *starter.Run) error {
				status := "cancelling"
				if err := stop.send(ctx, run, a.defaultActor()); err != nil {
					return err
				}
				if stop.after != "" {
					status = "stopping"
				}
				if !noWait && stop.after == "" {
					var err error
					if status, err = a.awaitCancelled(ctx, c, run); err != nil {
						return err
					}
				}
				if a.json() {
					return a.document(map[string]string{"run_id": run.ID(), "status": status})
				}
				return a.print("%s %s\n", show.Line(run.ID()), a.paint(a.std.outTerminal).Status(status))
			})
		},
	}
	stop.define(command)
	command.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for the end")
	return command
}

// awaitCancelled is the status that the run ends with, whatever it is: it may
// have completed before the request reached it.
func (a *app) awaitCancelled(ctx context.Context, c *connection, run *starter.Run) (string, error) {
	limited, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	result, err := resultOf(limited, run)
	if err == nil {
		return string(result.Status), nil
	}
	if limited.Err() == nil {
		return "", err
	}
	if count, err := c.workers(ctx); err == nil && count == 0 {
		return "", fmt.Errorf("run %s is asked to stop, but no worker takes runs from task queue %q: start one with %q",
			run.ID(), c.queue, a.usage("worker"))
	}
	return "", fmt.Errorf("run %s has not ended within %s; it goes on cancelling: watch it with %q", run.ID(), cancelWait, a.usage("tail %s", words.Quote(run.ID())))
}
