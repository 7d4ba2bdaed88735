package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/show"
	"errand/worker"
	"errand/workflows/contract"
)

const replayHelp = `Run the workflow code of this build over the histories of your own runs, as a
worker of this build would if it took them over. Do it before you deploy a new
build: a run that does not replay would hang on it. Nothing is executed, and
nothing changes on the server.

Without <run> and --query the running runs of the task queue are replayed.
--query takes a list filter of Temporal, for example
"ExecutionStatus = 'Running' AND StartTime > '2026-01-01T00:00:00Z'"; only runs
of Errand are looked at, of any task queue.`

// replays is how many histories are replayed at once. Each is held in memory.
const replays = 4

// replayFlags are those of "errand replay".
type replayFlags struct {
	query string
	limit int
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	command := &cobra.Command{
		Use:     "replay [<run>...]",
		Short:   "Check that this build can go on with runs",
		Long:    replayHelp,
		Example: "  {errand} replay --query \"ExecutionStatus = 'Running'\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.limit < 0:
				return badUsage("--limit %d: must not be negative", f.limit)
			case len(args) > 0 && f.query != "":
				return badUsage("--query: leave it out, or leave the runs out")
			}
			ctx := cmd.Context()
			return a.withConnection(ctx, func(c *connect.Connection) error { return a.replay(ctx, c, args, f) })
		},
	}
	command.Flags().StringVar(&f.query, "query", "", "replay the runs that a list filter of Temporal finds")
	command.Flags().IntVar(&f.limit, "limit", 0, "replay at most this many; 0 is all")
	return command
}

// replayed is what became of one history. It is an entry of the document of
// "replay -o json".
type replayed struct {
	ID        string `json:"run_id"`
	Execution string `json:"execution"`
	Events    int    `json:"events"`
	// Replays is false where this build would not go on with the run.
	Replays bool   `json:"replays"`
	Error   string `json:"error,omitempty"`
}

func (a *app) replay(ctx context.Context, c *connect.Connection, runs []string, f replayFlags) error {
	all, err := executions(ctx, c, runs, f)
	if err != nil {
		return err
	}
	if err := replayAll(ctx, c, all); err != nil {
		return err
	}
	if err := a.showReplayed(all); err != nil {
		return err
	}
	broken := 0
	for _, one := range all {
		if !one.Replays {
			broken++
		}
	}
	if broken > 0 {
		return &replayError{broken, len(all)}
	}
	return nil
}

// replayError says that this build must not take these runs over.
type replayError struct{ broken, all int }

func (e *replayError) Error() string {
	return fmt.Sprintf("%d of %d runs do not replay on this build: do not deploy it beside them", e.broken, e.all)
}

// executions are the histories to replay: of the runs that are named, or of
// those that the query finds.
func executions(ctx context.Context, c *connect.Connection, runs []string, f replayFlags) ([]replayed, error) {
	if len(runs) == 0 {
		return found(ctx, c, f)
	}
	all := make([]replayed, 0, len(runs))
	for _, id := range runs {
		run, err := c.Run(ctx, id)
		if err != nil {
			return nil, err
		}
		described, err := c.Client.DescribeWorkflow(ctx, run.ID(), "")
		if err != nil {
			return nil, connect.About(run.ID(), err)
		}
		all = append(all, replayed{ID: run.ID(), Execution: described.WorkflowExecution.RunID})
	}
	return all, nil
}

func found(ctx context.Context, c *connect.Connection, f replayFlags) ([]replayed, error) {
	filter := fmt.Sprintf("TaskQueue = '%s' AND ExecutionStatus = 'Running'", strings.ReplaceAll(c.Queue, "'", `\'`))
	if f.query != "" {
		filter = "(" + f.query + ")"
	}
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Query: fmt.Sprintf("WorkflowType IN ('%s', '%s') AND %s", contract.TypeRun, contract.TypeDelegated, filter),
	}
	var all []replayed
	for {
		page, err := c.Client.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("find the runs: %w", err)
		}
		for _, e := range page.GetExecutions() {
			if f.limit > 0 && len(all) == f.limit {
				return all, nil
			}
			all = append(all, replayed{ID: e.GetExecution().GetWorkflowId(), Execution: e.GetExecution().GetRunId()})
		}
		if len(page.GetNextPageToken()) == 0 {
			return all, nil
		}
		request.NextPageToken = page.GetNextPageToken()
	}
}

// replayAll fills in what became of each. A history that has gone meanwhile is
// told as such; only the end of ctx is an error.
func replayAll(ctx context.Context, c *connect.Connection, all []replayed) error {
	var wg sync.WaitGroup
	places := make(chan struct{}, replays)
	for i := range all {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			replayOne(ctx, c, &all[i])
		})
	}
	wg.Wait()
	return ctx.Err()
}

func replayOne(ctx context.Context, c *connect.Connection, one *replayed) {
	events, err := worker.Replay(ctx, c.Client, one.ID, one.Execution, worker.ReplayOptions{
		DataConverter: converter.GetDefaultDataConverter(), ExternalStorage: c.Storage,
	})
	one.Events, one.Replays = events, err == nil
	var broken *worker.ReplayError
	switch {
	case errors.As(err, &broken):
		one.Error = broken.Err.Error()
	case err != nil:
		one.Error = err.Error()
	}
}

func (a *app) showReplayed(all []replayed) error {
	if a.json() {
		if all == nil {
			all = []replayed{}
		}
		return a.document(map[string][]replayed{"runs": all})
	}
	if len(all) == 0 {
		a.notice("No runs.")
		return nil
	}
	paint := a.paint(a.std.outTerminal)
	cells := [][]show.Cell{{{Text: "RUN", Paint: paint.Dim}, {Text: "EVENTS", Paint: paint.Dim}, {Text: "REPLAYS", Paint: paint.Dim}}}
	for _, one := range all {
		decision := "yes"
		if !one.Replays {
			decision = "NO: " + show.Line(one.Error)
		}
		cells = append(cells, []show.Cell{{Text: show.Line(one.ID), Paint: paint.Name}, {Text: fmt.Sprint(one.Events)}, {Text: decision}})
	}
	return show.Table(a.std.out, cells)
}
