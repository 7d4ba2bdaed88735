package show

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Cell is one field of a table: its text, and how it is painted.
type Cell struct {
	Text  string
	Paint func(string) string
}

// Table writes rows in aligned columns. Widths count characters, not the
// bytes that colour adds. A row of one cell is a note and widens no column.
func Table(w io.Writer, rows [][]Cell) error {
	widths := []int{}
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell.Text))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			text := cell.Text
			if cell.Paint != nil {
				text = cell.Paint(text)
			}
			line.WriteString(text)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell.Text)+2))
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(line.String(), " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Paint colours text for a terminal. The zero Paint leaves it plain.
type Paint struct{ On bool }

func (p Paint) wrap(code, text string) string {
	if !p.On || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold is for headings.
func (p Paint) Bold(text string) string { return p.wrap("1", text) }

// Dim is for what matters less.
func (p Paint) Dim(text string) string { return p.wrap("2", text) }

// Good is for success.
func (p Paint) Good(text string) string { return p.wrap("32", text) }

// Bad is for failure.
func (p Paint) Bad(text string) string { return p.wrap("31", text) }

// Wait is for what waits for somebody.
func (p Paint) Wait(text string) string { return p.wrap("33", text) }

// Name is for names of tools and runs.
func (p Paint) Name(text string) string { return p.wrap("36", text) }

// Status colours the status of a run, an action or an outcome by what it
// means.
func (p Paint) Status(status string) string {
	switch status {
	case "completed", "succeeded", "approved":
		return p.Good(status)
	case "failed", "denied", "unknown", "expired", "terminated", "timed_out":
		return p.Bad(status)
	case "pending_action", "pending", "processing", "incomplete", "cancelled":
		return p.Wait(status)
	}
	return status
}
