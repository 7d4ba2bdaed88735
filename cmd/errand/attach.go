package main

import (
	"github.com/spf13/cobra"

	"errand/starter"
)

func (a *app) attachCommand() *cobra.Command {
	var f sessionFlags
	command := &cobra.Command{
		Use:   "attach <run>",
		Short: "Stay with a run that exists already",
		Long: `Stay with a run as "{errand} run" does, wherever it was started: show its
progress from the beginning, answer what is open, print its final text.`,
		Example: "  {errand} attach last --exec 'stock=./stock.sh'",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			programs, err := a.checkSession(f)
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(c *connection, run *starter.Run) error {
				return a.stay(cmd.Context(), c, run, programs, f.events)
			})
		},
	}
	f.add(command)
	return command
}
