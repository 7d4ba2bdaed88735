package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/shell"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/tools/item"
	"errand/workflows/contract"
)

func (a *app) sendCommand() *cobra.Command {
	var followUp bool
	var id string
	command := &cobra.Command{
		Use:   "send <run> <text…|-|@file>",
		Short: "Give a run a message",
		Long: `Give a run a message of the user. The model reads it after the current batch of
calls, or with --follow-up when it would otherwise be done.

A run takes one message id once. If it is not known whether a message arrived,
send the same text with the same --id again: that does no harm.`,
		Example: `  {errand} send last "Only direct flights, please."`,
		Args:    wants(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.text(strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			if strings.TrimSpace(string(text)) == "" {
				return badUsage("the message is empty: write a text, - for standard input, or @file")
			}
			message := starter.Text(string(text))
			if message.ID = id; id == "" {
				message.ID = starter.NewMessageID()
			}
			if followUp {
				message.Deliver = contract.DeliverFollowUp
			}
			ctx := cmd.Context()
			return a.withWorker(ctx, args[0], func(run *starter.Run) error {
				receipt, err := run.Send(ctx, message)
				if errors.Is(err, starter.ErrNoReply) {
					a.notice("it is not known whether the message arrived: to send it again without doubling it, add --id %s", shell.Quote(message.ID))
				}
				if err != nil {
					return err
				}
				return a.showReceipt(receipt)
			})
		},
	}
	command.Flags().BoolVar(&followUp, "follow-up", false, "deliver it when the model is done, not after the current calls")
	command.Flags().StringVar(&id, "id", "", "id of the message (default: a new one)")
	return command
}

const extendHelp = `Give a run a larger budget: new limits in place of those that it has. A run with
"on_budget": "ask" waits for it when its budget is used up, others take it
before that. --decline ends a run that asks.`

func (a *app) extendCommand() *cobra.Command {
	var extend contract.Extend
	var cost string
	command := &cobra.Command{
		Use:     "extend <run>",
		Short:   "Give a run a larger budget",
		Long:    extendHelp,
		Example: "  {errand} extend last --max-cost 2.50",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cost != "" {
				amount, err := strconv.ParseFloat(cost, 64)
				limit, ok := item.CostOf(amount)
				if err != nil || !ok {
					return badUsage("--max-cost %q: write an amount, such as 2.50", cost)
				}
				extend.MaxCost = &limit
			}
			if !extend.Decline && extend.MaxRounds == 0 && extend.MaxTokens == 0 && extend.MaxCost == nil {
				return badUsage("nothing to extend: write --max-rounds, --max-tokens or --max-cost, or --decline")
			}
			if extend.Actor == "" {
				extend.Actor = a.defaultActor()
			}
			ctx := cmd.Context()
			return a.withWorker(ctx, args[0], func(run *starter.Run) error {
				receipt, err := run.Extend(ctx, extend)
				if err != nil {
					return err
				}
				return a.showReceipt(receipt)
			})
		},
	}
	flags := command.Flags()
	flags.IntVar(&extend.MaxRounds, "max-rounds", 0, "the new limit of rounds")
	flags.IntVar(&extend.MaxTokens, "max-tokens", 0, "the new limit of tokens")
	flags.StringVar(&cost, "max-cost", "", "the new limit of cost")
	flags.BoolVar(&extend.Decline, "decline", false, "no larger budget: the run ends incomplete")
	flags.StringVar(&extend.Reason, "reason", "", "why")
	flags.StringVar(&extend.Actor, "actor", "", "who decides (default: $USER)")
	return command
}

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
			return a.withRun(ctx, args[0], func(c *connect.Connection, run *starter.Run) error {
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
func (a *app) awaitCancelled(ctx context.Context, c *connect.Connection, run *starter.Run) (string, error) {
	limited, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	result, err := connect.Result(limited, run)
	if err == nil {
		return string(result.Status), nil
	}
	if limited.Err() == nil {
		return "", err
	}
	if count, err := c.Workers(ctx); err == nil && count == 0 {
		return "", fmt.Errorf("run %s is asked to stop, but no worker takes runs from task queue %q: start one with %q",
			run.ID(), c.Queue, a.usage("worker"))
	}
	return "", fmt.Errorf("run %s has not ended within %s; it goes on cancelling: watch it with %q", run.ID(), cancelWait, a.usage("tail %s", shell.Quote(run.ID())))
}

// stopFlags say how gently a run is to be ended.
type stopFlags struct{ after, reason string }

func (f *stopFlags) define(command *cobra.Command) {
	command.Flags().StringVar(&f.after, "after", "", "what may come to its end first: tools or round")
	command.Flags().StringVar(&f.reason, "reason", "", "why, for the run's result")
}

// send cancels the run, or stops it where it was told how or why.
func (f *stopFlags) send(ctx context.Context, run *starter.Run, actor string) error {
	mode := contract.StopNow
	switch f.after {
	case "tools":
		mode = contract.StopAfterTools
	case "round":
		mode = contract.StopAfterRound
	case "":
		if f.reason == "" { // no worker is needed for it
			return run.Cancel(ctx)
		}
	default:
		return &usageError{fmt.Errorf("--after: %q is not known: write tools or round", f.after)}
	}
	_, err := run.Stop(ctx, contract.Stop{Mode: mode, Actor: actor, Reason: f.reason})
	return err
}
