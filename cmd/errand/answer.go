package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

const answerHelp = `Answer a call that waits for the client. Which one is said by --action or --call;
neither is needed if only one is open. The answer is a text, - for standard
input, or @file. The first answer to a call counts; the same one again does no
harm, another one is refused (exit code 8).`

// answerFlags are those of "errand answer".
type answerFlags struct {
	call, action  string
	isError, json bool
}

func (a *app) answerCommand() *cobra.Command {
	var f answerFlags
	command := &cobra.Command{
		Use:   "answer <run> <text|-|@file>",
		Short: "Answer a call that waits for the client",
		Long:  answerHelp,
		Example: `  {errand} answer last "Gate 12"
  {errand} answer run_01 --action act_1_0 --json '{"gate":12}'`,
		Args: wants(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			answer, err := a.answer(f, args[1])
			if err != nil {
				return err
			}
			return a.withWorker(ctx, args[0], func(run *starter.Run) error {
				if answer.ActionID == "" && answer.ToolCallID == "" {
					if answer.ActionID, err = onlyAction(ctx, run); err != nil {
						return err
					}
				}
				receipt, err := run.Answer(ctx, answer)
				if err != nil {
					return err
				}
				return a.showReceipt(receipt)
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&f.action, "action", "", "action id of the call")
	flags.StringVar(&f.call, "call", "", "tool call id of the call")
	flags.BoolVar(&f.isError, "error", false, "the call failed: the model reads the text as an error")
	flags.BoolVar(&f.json, "json", false, "the answer is JSON, not text")
	command.MarkFlagsMutuallyExclusive("action", "call")
	return command
}

// answer is what the flags and the text say.
func (a *app) answer(f answerFlags, argument string) (contract.Answer, error) {
	text, err := a.text(argument)
	if err != nil {
		return contract.Answer{}, err
	}
	answer := starter.Output("", string(text))
	switch {
	case f.json && !json.Valid(text):
		return answer, badUsage("the answer is not JSON: correct it, or leave --json out to send it as text")
	case f.json:
		answer.Output, answer.IsError = text, f.isError
	case f.isError:
		answer = starter.Failure("", string(text))
	}
	answer.ToolCallID, answer.ActionID = f.call, f.action
	return answer, nil
}

// text is an argument, or what it points at: - is standard input, @ a file.
// The newline that ends a file is not part of its text.
func (a *app) text(argument string) ([]byte, error) {
	path, isFile := strings.CutPrefix(argument, "@")
	if !isFile && argument != "-" {
		return []byte(argument), nil
	}
	text, err := a.read(path)
	return bytes.TrimRight(text, "\r\n"), err
}

// onlyAction is the one call that is open.
func onlyAction(ctx context.Context, run *starter.Run) (string, error) {
	report, err := run.Status(ctx)
	if err != nil {
		return "", err
	}
	var all []string
	for _, open := range report.Actions {
		all = append(all, open.ActionID+" ("+show.Tool(open.Manifest)+")")
	}
	switch len(all) {
	case 0:
		return "", &starter.RefusedError{Reason: "no call of run " + run.ID() + " waits for an answer"}
	case 1:
		return report.Actions[0].ActionID, nil
	}
	return "", badUsage("%d calls are open: choose one with --action: %s", len(all), strings.Join(all, ", "))
}

// showReceipt prints what an answer has done.
func (a *app) showReceipt(r contract.Receipt) error {
	if a.json() {
		return a.document(r)
	}
	again := ""
	if r.Repeated {
		again = " (as before)"
	}
	return a.print("%s %s%s\n", show.Line(r.ID), a.paint(a.std.outTerminal).Status(r.Status), again)
}

func (a *app) approveCommand() *cobra.Command {
	return a.decisionCommand(true, cobra.Command{
		Use:     "approve <run> [approval_request_id]",
		Short:   "Let a call run that waits for approval",
		Long:    "Let a call run that waits for approval. The id is not needed if one is open.",
		Example: "  {errand} approve last apr_1_0",
	})
}

func (a *app) denyCommand() *cobra.Command {
	return a.decisionCommand(false, cobra.Command{
		Use:     "deny <run> [approval_request_id]",
		Short:   "Refuse a call that waits for approval",
		Long:    "Refuse a call that waits for approval; the model reads the reason. The id is not needed if one is open.",
		Example: `  {errand} deny last --reason "not on a Friday"`,
	})
}

// decisionCommand is approve or deny.
func (a *app) decisionCommand(approve bool, command cobra.Command) *cobra.Command {
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
			decision := starter.Denied(id, reason, actor)
			*decision.Approve = approve
			receipt, err := run.Approve(ctx, decision)
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
