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
