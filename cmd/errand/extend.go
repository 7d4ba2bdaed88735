package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"errand/starter"
	"errand/tools/item"
	"errand/workflows/contract"
)

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
