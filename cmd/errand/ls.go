package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

const lsHelp = `List the runs of the task queue, the newest first. The server knows whether a
run goes on (running) and how it ended (completed, failed, cancelled,
terminated, timed_out); completed includes incomplete ones.

--pending keeps the runs that wait for a client or for approval, with what they
wait for. It asks every run that may wait: those that say so in the search
attribute ErrandStatus, and running ones that do not have it ("run" sets it where
the namespace knows it).`

// lsFlags are those of "errand ls".
type lsFlags struct {
	limit   int
	status  string
	pending bool
}

func (a *app) lsCommand() *cobra.Command {
	var f lsFlags
	command := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List runs",
		Long:    lsHelp,
		Example: "  {errand} ls --status failed --limit 5",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			query, err := f.query()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return a.withConnection(ctx, func(c *connect.Connection) error {
				rows, err := list(ctx, c, query, f)
				if err != nil {
					return err
				}
				return a.showRuns(rows, time.Now())
			})
		},
	}
	command.Flags().IntVar(&f.limit, "limit", 20, "list at most this many; 0 is all")
	command.Flags().StringVar(&f.status, "status", "", "running, completed, failed, cancelled, terminated or timed_out")
	command.Flags().BoolVar(&f.pending, "pending", false, "only runs that wait for a client or for approval")
	return command
}

// running is what a list calls a run that goes on, whatever it is doing.
const running = "running"

var listed = map[string]contract.Status{
	"": "", running: contract.InProgress, "completed": contract.Completed, "failed": contract.Failed,
	"cancelled": contract.Cancelled, "terminated": starter.Terminated, "timed_out": starter.TimedOut,
}

func (f lsFlags) query() (starter.ListQuery, error) {
	status, known := listed[f.status]
	switch {
	case !known:
		return starter.ListQuery{}, badUsage("--status %q: write running, completed, failed, cancelled, terminated or timed_out", f.status)
	case f.limit < 0:
		return starter.ListQuery{}, badUsage("--limit %d: must not be negative", f.limit)
	case f.pending && f.status != "" && f.status != running:
		return starter.ListQuery{}, badUsage("--pending: only running runs wait: leave --status out")
	case f.pending:
		return starter.ListQuery{Pending: true}, nil
	}
	return starter.ListQuery{Status: status, Limit: f.limit}, nil
}

// row is one run of a list.
type row struct {
	ID      string    `json:"run_id"`
	Status  string    `json:"status"`
	Started time.Time `json:"started_at"`
	Closed  time.Time `json:"ended_at,omitzero"`
	Model   string    `json:"model"`
	Prompt  string    `json:"prompt"`
	// Actions and Approvals are there with --pending only.
	Actions   []contract.OpenAction   `json:"actions,omitempty"`
	Approvals []contract.OpenApproval `json:"approvals,omitempty"`
}

func list(ctx context.Context, c *connect.Connection, query starter.ListQuery, f lsFlags) ([]row, error) {
	rows := []row{}
	for one, err := range c.Starter.List(ctx, query) {
		if err != nil {
			return nil, err
		}
		r := row{ID: one.ID, Status: string(one.Status), Started: one.Started, Closed: one.Closed, Model: one.Model, Prompt: one.Prompt}
		if one.Closed.IsZero() && one.Status == contract.InProgress {
			r.Status = running
		}
		if f.pending {
			report, err := c.Starter.Attach(one.ID).Status(ctx)
			if err != nil {
				return nil, connect.About(one.ID, err)
			}
			if len(report.Actions)+len(report.Approvals) == 0 || report.Status.Terminal() {
				continue
			}
			r.Status, r.Actions, r.Approvals = string(report.Status), report.Actions, report.Approvals
		}
		if rows = append(rows, r); f.limit > 0 && len(rows) == f.limit {
			break
		}
	}
	return rows, nil
}

var listTitles = []string{"RUN", "STATUS", "STARTED", "TOOK", "MODEL", "PROMPT"}

// showRuns prints a list of runs; now is for those that go on.
func (a *app) showRuns(rows []row, now time.Time) error {
	if a.json() {
		return a.document(map[string][]row{"runs": rows})
	}
	if len(rows) == 0 {
		a.notice("No runs.")
		return nil
	}
	paint := a.paint(a.std.outTerminal)
	heading := make([]show.Cell, len(listTitles))
	for i, title := range listTitles {
		heading[i] = show.Cell{Text: title, Paint: paint.Dim}
	}
	cells := [][]show.Cell{heading}
	for _, r := range rows {
		cells = append(cells, r.cells(paint, now))
		cells = append(cells, r.open(paint)...)
	}
	return show.Table(a.std.out, cells)
}

func (r row) cells(paint show.Paint, now time.Time) []show.Cell {
	end := r.Closed
	if end.IsZero() {
		end = now
	}
	return []show.Cell{
		{Text: show.Line(r.ID), Paint: paint.Name},
		{Text: r.Status, Paint: paint.Status},
		{Text: r.Started.Local().Format("2006-01-02 15:04:05")},
		{Text: show.Duration(end.Sub(r.Started))},
		{Text: show.Short(r.Model, 24)},
		{Text: show.Short(r.Prompt, 60)},
	}
}

// open is one line for everything that the run waits for.
func (r row) open(paint show.Paint) [][]show.Cell {
	var lines [][]show.Cell
	add := func(id, tool, arguments string) {
		text := "  ? " + show.Line(id) + " " + tool + " " + show.Short(arguments, 80)
		lines = append(lines, []show.Cell{{Text: text, Paint: paint.Wait}})
	}
	for _, a := range r.Actions {
		arguments := string(a.Args)
		if a.Input != nil {
			arguments = *a.Input
		}
		add(a.ActionID, show.Tool(a.Manifest), arguments)
	}
	for _, a := range r.Approvals {
		add(a.ApprovalRequestID, show.Line(a.Tool)+" (approval)", string(a.Args))
	}
	return lines
}
