package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"errand/cmd/errand/words"
	"errand/starter"
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
					a.notice("it is not known whether the message arrived: to send it again without doubling it, add --id %s", words.Quote(message.ID))
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
