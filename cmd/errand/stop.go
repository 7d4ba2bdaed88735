package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"errand/starter"
	"errand/workflows/contract"
)

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
