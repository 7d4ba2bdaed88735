package main

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

const (
	// showLimit bounds each text of a transcript.
	showLimit = 4000
	// endedLimit bounds the wait for the result of a run that has ended.
	endedLimit = 5 * time.Second
)

func (a *app) showCommand() *cobra.Command {
	var traces, full bool
	command := &cobra.Command{
		Use:   "show <run>",
		Short: "Print the transcript of a run",
		Long: `Print what a run has said and done: its messages, calls and outcomes, what is
open and how to answer it, tokens, and what went wrong.`,
		Example: "  {errand} show last --traces",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withWorker(ctx, args[0], func(run *starter.Run) error {
				known, err := takeSnapshot(ctx, run)
				if err != nil {
					return err
				}
				if a.json() {
					if err := a.document(known); err != nil {
						return err
					}
					return known.closed()
				}
				view := show.View{Paint: a.paint(a.std.outTerminal), Limit: showLimit, Traces: traces, Zone: time.Local}
				if full {
					view.Limit = 0
				}
				commands := a.commands(run.ID())
				view.Answer, view.Approve = commands.Answer, commands.Approve
				if err := view.Write(a.std.out, known.transcript()); err != nil {
					return err
				}
				return known.closed()
			})
		},
	}
	command.Flags().BoolVar(&traces, "traces", false, "add a table of all calls")
	command.Flags().BoolVar(&full, "full", false, "do not cut long texts")
	return command
}

// snapshot is all that can be learnt of a run. It is the document of
// "show -o json".
type snapshot struct {
	Status contract.StatusReport `json:"status"`
	Items  []json.RawMessage     `json:"items"`
	Traces []tools.Trace         `json:"traces"`
	// Result is null while the run goes on, and for one that was closed from
	// outside.
	Result *contract.Result `json:"result"`
	// warning says what is not known.
	warning string
}

// closed is the error of a run that was closed from outside: what is shown of
// it is all that there will be.
func (k snapshot) closed() error {
	if k.Status.Status == starter.Terminated || k.Status.Status == starter.TimedOut {
		return &starter.ClosedError{Status: k.Status.Status}
	}
	return nil
}

// takeSnapshot asks the run. One that has ended can be shown without any worker: its
// result then has to do for the conversation.
func takeSnapshot(ctx context.Context, run *starter.Run) (snapshot, error) {
	known := snapshot{Items: []json.RawMessage{}, Traces: []tools.Trace{}}
	var err error
	if known.Status, err = run.Status(ctx); err != nil {
		if !errors.Is(err, starter.ErrNoReply) {
			return known, err
		}
		result, resultErr := ended(ctx, run)
		var closed *starter.ClosedError
		if errors.As(resultErr, &closed) {
			return fromOutside(run.ID(), closed.Status), nil
		}
		if resultErr != nil {
			return known, err
		}
		return fromResult(result), nil
	}
	if known.Items, err = collect(run.Conversation(ctx), known.Items); err != nil {
		return known, err
	}
	if known.Traces, err = collect(run.Traces(ctx), known.Traces); err != nil {
		return known, err
	}
	if known.Status.Status.Terminal() {
		known.Result, err = ended(ctx, run)
	}
	return known, err
}

// ended is the result of a run that has ended.
func ended(ctx context.Context, run *starter.Run) (*contract.Result, error) {
	limited, cancel := context.WithTimeout(ctx, endedLimit)
	defer cancel()
	return connect.Result(limited, run)
}

func fromResult(r *contract.Result) snapshot {
	report := contract.StatusReport{
		RunID: r.ID, Status: r.Status, Round: r.Run.Rounds, Usage: r.Usage, Items: len(r.Output),
		Actions: []contract.OpenAction{}, Approvals: []contract.OpenApproval{}, Stop: r.Run.Stop,
	}
	return snapshot{Status: report, Items: r.Output, Traces: r.Run.Traces, Result: r}
}

// fromOutside is what the server alone can tell of a run that was closed from
// outside.
func fromOutside(id string, status contract.Status) snapshot {
	known := fromResult(&contract.Result{ID: id, Status: status})
	known.Items, known.Traces, known.Result = []json.RawMessage{}, []tools.Trace{}, nil
	known.warning = "no worker replies, so nothing more can be told"
	return known
}

func collect[T any](all iter.Seq2[T, error], into []T) ([]T, error) {
	for one, err := range all {
		if err != nil {
			return into, err
		}
		into = append(into, one)
	}
	return into, nil
}

func (k snapshot) transcript() show.Transcript {
	t := show.Transcript{
		ID: k.Status.RunID, Status: k.Status.Status, Rounds: k.Status.Round, Usage: k.Status.Usage,
		Items: k.Items, Traces: k.Traces, Actions: k.Status.Actions, Approvals: k.Status.Approvals,
		Sessions: k.Status.Sessions, Stop: k.Status.Stop,
	}
	if r := k.Result; r != nil {
		t.Model, t.Error, t.Warnings = r.Model, r.Error, r.Run.Warnings
		if r.Incomplete != nil {
			t.Reason = r.Incomplete.Reason
		}
	} else if k.Status.LastError != "" {
		t.Warnings = []string{"last error: " + k.Status.LastError}
	}
	if k.warning != "" {
		t.Warnings = append(t.Warnings, k.warning)
	}
	return t
}
