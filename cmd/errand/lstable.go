package main

import (
	"time"

	"errand/cmd/errand/show"
)

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
