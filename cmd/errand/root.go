package main

import (
	"strings"

	"github.com/spf13/cobra"
)

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
