// Command errand starts, follows, answers and cancels durable runs of models
// and their tools, and runs the worker and the development server that execute
// them. Linked or copied as temporal-errand it is a plugin of the temporal
// CLI: "temporal errand run …".
//
// What it exits with:
//
//	0    completed, or done as asked
//	1    the run failed, or any other error
//	2    bad usage, or an invalid request
//	3    the run ended incomplete
//	4    the run was cancelled
//	6    Temporal cannot be reached, or no worker replies
//	7    unknown run
//	8    refused: the run does not take what was sent
//	130  interrupted while the run goes on
//
// Standard output has what was asked for: a run's final text, a transcript, a
// list. Progress, questions and errors go to standard error.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"errand/tools"
)

func main() {
	os.Exit(newApp(os.Args[0]).execute(context.Background(), os.Args[1:]))
}

const rootHelp = `Start, follow and answer durable runs of models and their tools.

A run lives in Temporal: it goes on when this command, the worker or the
machine stops. Start everything on one machine with "{errand} dev", then

  {errand} run "What time is it?" --tool now

Connections are made as the temporal CLI makes them: TEMPORAL_ADDRESS,
TEMPORAL_NAMESPACE, TEMPORAL_PROFILE and its profiles. Where a command takes
<run>, write the run's id, or "last" for the newest run.`

// root is the whole command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "errand",
		Short:         "Durable runs of models and their tools",
		Long:          rootHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: a.name},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if a.flags.output != outputText && a.flags.output != outputJSON {
				return badUsage("--output %q: write text or json", a.flags.output)
			}
			a.started = true
			return nil
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Version = thisBuild().line(a.name)
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "the same as the command version") // without it, cobra adds -v as well
	flags := root.PersistentFlags()
	flags.StringVarP(&a.flags.output, "output", "o", outputText, "text, or json: one document, or one object a line for streams")
	flags.StringVar(&a.flags.address, "address", "", "host:port of Temporal (TEMPORAL_ADDRESS)")
	flags.StringVar(&a.flags.namespace, "namespace", "", "Temporal namespace (TEMPORAL_NAMESPACE)")
	flags.StringVar(&a.flags.profile, "profile", "", "profile of the temporal CLI (TEMPORAL_PROFILE)")
	flags.StringVar(&a.flags.taskQueue, "task-queue", "", `where runs and workers meet (ERRAND_TASK_QUEUE, or "errand")`)
	flags.BoolVar(&a.flags.noColor, "no-color", false, "no colour, also on a terminal (NO_COLOR)")
	addGroup(root, "start", "Set-up:", a.devCommand(), a.workerCommand(), a.replayCommand(), a.toolsCommand(), a.doctorCommand())
	addGroup(root, "runs", "Runs:", a.runCommand(), a.attachCommand(), a.tailCommand(), a.showCommand(), a.lsCommand())
	addGroup(root, "word", "Having a say in a run:",
		a.answerCommand(), a.serveCommand(), a.approveCommand(), a.denyCommand(), a.sendCommand(), a.extendCommand(), a.cancelCommand())
	root.AddCommand(a.versionCommand(), exitCodesTopic())
	a.rename(root)
	return root
}

func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, command := range commands {
		command.GroupID = id
		root.AddCommand(command)
	}
}

// rename puts the name that this command goes by into its texts.
func (a *app) rename(c *cobra.Command) {
	name := strings.NewReplacer("{errand}", a.name)
	c.Short, c.Long, c.Example = name.Replace(c.Short), name.Replace(c.Long), name.Replace(c.Example)
	for _, child := range c.Commands() {
		a.rename(child)
	}
}

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

// build is what the command knows of how it was made. The version is that of
// the source; the revision is there if the source came out of git.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	SDK      string `json:"temporal_sdk,omitempty"`
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return newBuild(info)
}

func newBuild(info *debug.BuildInfo) build {
	b := build{Version: "v" + tools.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	for _, module := range info.Deps {
		if module.Path == "go.temporal.io/sdk" {
			b.SDK = module.Version
		}
	}
	return b
}

// line is the build in one line, after the name of the command.
func (b build) line(name string) string {
	text := name + " " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision[:min(12, len(b.Revision))]
		if b.Modified {
			text += ", modified"
		}
		text += ")"
	}
	return text + ", " + b.Go + ", " + b.Platform + ", Temporal SDK " + b.SDK
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this command",
		Example: "  {errand} version -o json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json() {
				return a.document(b)
			}
			return a.print("%s\n", b.line(a.name))
		},
	}
}
