package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/tools"
	"errand/worker"
)

const toolsHelp = `List the tools that a run would see, from a worker of this configuration: what
the request in --file declares, or without one everything that the worker has.
It takes the steps that a run takes before it asks a model, so it also finds
schemas that do not compile, names that clash and tools that nobody executes.

The configuration is that of "{errand} worker". MCP servers are asked for their
tools; no run is started, and no model is asked.`

func (a *app) toolsCommand() *cobra.Command {
	file, asJSON := "", false
	command := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that a run would see",
		Long:  toolsHelp,
		Example: `  {errand} tools
  {errand} tools --file request.json -o json`,
		Args: wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.alsoJSON(asJSON)
			var request []byte
			if file != "" {
				raw, err := a.read(file)
				if err != nil {
					return err
				}
				if _, ok := tools.Object(raw); !ok {
					return &starter.InvalidRequestError{Faults: tools.Faults{{Message: notObject(sourceName(file), raw)}}}
				}
				request = raw
			}
			config, err := a.workerConfig(worker.Log{})
			if err != nil {
				return err
			}
			w, err := worker.New(config, worker.WithBuiltins(), worker.WithLogger(zap.NewNop()))
			if err != nil {
				return err
			}
			defer w.Stop()
			offer, err := w.Offer(cmd.Context(), request)
			if err != nil {
				return err
			}
			return a.showOffer(offer)
		},
	}
	command.Flags().StringVarP(&file, "file", "f", "", "the request, as for run; - for standard input")
	command.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return command
}

// alsoJSON is for commands that have a --json of their own.
func (a *app) alsoJSON(asked bool) {
	if asked {
		a.flags.output = outputJSON
	}
}

var toolTitles = []string{"TOOL", "OWNER", "SOURCE", "EFFECT", "NOTES"}

// showOffer prints what a run would see. Faults are an error, after the list.
func (a *app) showOffer(offer worker.Offer) error {
	if a.json() {
		if err := a.document(offer); err != nil {
			return err
		}
	} else if err := a.offerText(offer); err != nil {
		return err
	}
	if len(offer.Faults) > 0 {
		return &starter.InvalidRequestError{Faults: offer.Faults}
	}
	return nil
}

func (a *app) offerText(offer worker.Offer) error {
	paint := a.paint(a.std.outTerminal)
	var rows [][]show.Cell
	for i, title := range toolTitles {
		if i == 0 {
			rows = append(rows, nil)
		}
		rows[0] = append(rows[0], show.Cell{Text: title, Paint: paint.Dim})
	}
	for _, one := range offer.Tools {
		rows = append(rows, []show.Cell{
			{Text: show.Line(one.Name), Paint: paint.Name},
			{Text: string(one.Owner)},
			{Text: dash(one.Source)},
			{Text: dash(string(one.Effect))},
			{Text: notes(one)},
		})
		if one.Description != "" {
			rows = append(rows, []show.Cell{{Text: "  " + show.Short(one.Description, 110), Paint: paint.Dim}})
		}
	}
	if len(offer.Tools) == 0 {
		a.notice("No tools.")
	} else if err := show.Table(a.std.out, rows); err != nil {
		return err
	}
	for _, warning := range offer.Warnings {
		a.notice("%s %s", paint.Wait("warning:"), show.Line(warning))
	}
	return nil
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// notes are what there is to know about a tool beside its columns.
func notes(one worker.OfferedTool) string {
	var all []string
	if !one.Offered {
		return "not offered to the model"
	}
	if one.Visible != one.Name {
		all = append(all, "the model sees "+one.Visible)
	}
	if one.Writes {
		all = append(all, "writes")
	}
	if one.Checkpointable {
		all = append(all, "checkpointable")
	}
	if one.Sequential {
		all = append(all, "sequential")
	} else if !one.ParallelSafe {
		all = append(all, "one call at a time")
	}
	if one.MaxUses > 0 {
		all = append(all, fmt.Sprintf("at most %d calls", one.MaxUses))
	}
	if one.Timeout > 0 {
		all = append(all, "time-out "+one.Timeout.String())
	}
	return strings.Join(all, ", ")
}
