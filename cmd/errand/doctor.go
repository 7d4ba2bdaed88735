package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"errand/cmd/errand/show"
	"errand/worker"
)

const doctorHelp = `Check what runs need: Temporal and its namespace, workers on the task queue, the
servers of models and their keys, the search provider, every configured MCP
server, and the folders of files and skills. It says what is wrong and what to do about it.

It looks from this machine, with the configuration that "{errand} worker" would
use here. It starts nothing and spends no tokens; a search provider is asked one
query. It exits with 1 if something does not work.`

func (a *app) doctorCommand() *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:     "doctor",
		Short:   "Check what runs need, and say what is wrong",
		Long:    doctorHelp,
		Example: "  {errand} doctor",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.alsoJSON(asJSON)
			findings := a.examine(cmd.Context())
			if err := a.showFindings(findings); err != nil {
				return err
			}
			faults := 0
			for _, f := range findings {
				if f.State == worker.StateFault {
					faults++
				}
			}
			if faults > 0 {
				return &unwellError{faults}
			}
			return nil
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return command
}

// unwellError is a checkup that found something which does not work.
type unwellError struct{ faults int }

func (e *unwellError) Error() string {
	if e.faults == 1 {
		return "1 check failed"
	}
	return fmt.Sprintf("%d checks failed", e.faults)
}

// examine makes every check, whatever the others say.
func (a *app) examine(ctx context.Context) []worker.Finding {
	b := thisBuild()
	findings := []worker.Finding{{
		Check: "errand", State: worker.StateOK,
		Message: fmt.Sprintf("version %s, %s, %s, Temporal SDK %s", b.Version, b.Go, b.Platform, b.SDK),
	}}
	config, err := a.workerConfig(worker.Log{})
	if err == nil {
		findings = append(findings, a.examineTemporal(ctx, config.Temporal.TaskQueue)...)
		model := a.getenv("ERRAND_MODEL")
		if model == "" {
			model = defaultModel
		}
		return append(findings, worker.Checkup(ctx, config, model)...)
	}
	findings = append(findings, a.examineTemporal(ctx, a.taskQueue())...)
	var wrong *worker.Error
	if !errors.As(err, &wrong) {
		return append(findings, worker.Finding{Check: "configuration", State: worker.StateFault, Message: a.explain(err).Message})
	}
	for _, fault := range wrong.Faults {
		findings = append(findings, worker.Finding{Check: "configuration", State: worker.StateFault, Message: fault.String()})
	}
	return append(findings, worker.Finding{
		Check: "configuration", State: worker.StateWarning, Message: "model servers, search and folders were not checked",
		Fix: "correct the configuration, then run this again",
	})
}

func (a *app) showFindings(findings []worker.Finding) error {
	if a.json() {
		return a.document(map[string][]worker.Finding{"findings": findings})
	}
	paint := a.paint(a.std.outTerminal)
	var rows [][]show.Cell
	for _, f := range findings {
		text := show.Line(f.Message)
		if f.Subject != "" {
			text = show.Line(f.Subject) + ": " + text
		}
		rows = append(rows, []show.Cell{{Text: string(f.State), Paint: stateIn(paint, f.State)}, {Text: f.Check}, {Text: text}})
		if f.Fix != "" {
			rows = append(rows, []show.Cell{{Text: "         → " + show.Line(f.Fix), Paint: paint.Dim}})
		}
	}
	return show.Table(a.std.out, rows)
}

func stateIn(paint show.Paint, state worker.State) func(string) string {
	switch state {
	case worker.StateOK:
		return paint.Good
	case worker.StateWarning:
		return paint.Wait
	case worker.StateFault:
		return paint.Bad
	case worker.StateOff:
		return paint.Dim
	}
	return nil
}
