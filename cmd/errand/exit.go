package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. They are part of the command's contract.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitCancelled   = 4
	exitUnreachable = 6
	exitUnknownRun  = 7
	exitRefused     = 8
	// exitDetached is what a shell reports for a command that SIGINT ended.
	exitDetached = 130
)

// exits says what each code means, in the order in which they are shown.
var exits = []struct {
	code    int
	meaning string
}{
	{exitOK, "the run completed, or the command did what it was asked"},
	{exitFailed, "the run failed, or any other error"},
	{exitUsage, "bad usage, or an invalid request: nothing was started"},
	{exitIncomplete, "the run ended incomplete, for example at its round cap"},
	{exitCancelled, "the run was cancelled"},
	{exitUnreachable, "Temporal cannot be reached, or no worker replies"},
	{exitUnknownRun, "there is no run with this id"},
	{exitRefused, "the run does not take what was sent: it is settled already, unknown, or the run has ended"},
	{exitDetached, "interrupted (Ctrl-C, SIGTERM); the run goes on"},
}

// exitCodesTopic is the page behind "errand help exit-codes".
func exitCodesTopic() *cobra.Command {
	var text strings.Builder
	text.WriteString("What the command exits with:\n\n")
	for _, e := range exits {
		fmt.Fprintf(&text, "  %3d  %s\n", e.code, e.meaning)
	}
	text.WriteString("\nThe codes for the end of a run are those of run, attach and tail.\n" +
		"With --detach or --no-follow, 0 only says that the run was started or read.")
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: text.String()}
}
