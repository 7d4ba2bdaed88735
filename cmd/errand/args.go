package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// wants checks the number of arguments and shows what they are; most is -1
// where there may be any number.
func wants(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		_, arguments, _ := strings.Cut(cmd.Use, " ")
		if arguments == "" {
			return badUsage("unexpected argument %q", args[0])
		}
		return badUsage("usage: %s %s", cmd.CommandPath(), arguments)
	}
}
