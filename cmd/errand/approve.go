package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"errand/cmd/errand/show"
	"errand/starter"
)

func (a *app) approveCommand() *cobra.Command {
	return a.verdictCommand(true, cobra.Command{
		Use:     "approve <run> [approval_request_id]",
		Short:   "Let a call run that waits for approval",
		Long:    "Let a call run that waits for approval. The id is not needed if one is open.",
		Example: "  {errand} approve last apr_1_0",
	})
}

func (a *app) denyCommand() *cobra.Command {
	return a.verdictCommand(false, cobra.Command{
		Use:     "deny <run> [approval_request_id]",
		Short:   "Refuse a call that waits for approval",
		Long:    "Refuse a call that waits for approval; the model reads the reason. The id is not needed if one is open.",
		Example: `  {errand} deny last --reason "not on a Friday"`,
	})
}

// verdictCommand is approve or deny.
func (a *app) verdictCommand(approve bool, command cobra.Command) *cobra.Command {
	var reason, actor string
	command.Args = wants(1, 2)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return a.withWorker(ctx, args[0], func(run *starter.Run) error {
			id := ""
			if len(args) == 2 {
				id = args[1]
			} else if only, err := onlyApproval(ctx, run); err != nil {
				return err
			} else {
				id = only
			}
			if actor == "" {
				actor = a.defaultActor()
			}
			verdict := starter.Denied(id, reason, actor)
			*verdict.Approve = approve
			receipt, err := run.Approve(ctx, verdict)
			if err != nil {
				return err
			}
			return a.showReceipt(receipt)
		})
	}
	command.Flags().StringVar(&reason, "reason", "", "why")
	command.Flags().StringVar(&actor, "actor", "", "who decides (default: $USER)")
	return &command
}

// onlyApproval is the one approval that is open.
func onlyApproval(ctx context.Context, run *starter.Run) (string, error) {
	report, err := run.Status(ctx)
	if err != nil {
		return "", err
	}
	var all []string
	for _, open := range report.Approvals {
		all = append(all, open.ApprovalRequestID+" ("+show.Line(open.Tool)+")")
	}
	switch len(all) {
	case 0:
		return "", &starter.RefusedError{Reason: "no call of run " + run.ID() + " waits for approval"}
	case 1:
		return report.Approvals[0].ApprovalRequestID, nil
	}
	return "", badUsage("%d approvals are open: name one: %s", len(all), strings.Join(all, ", "))
}
