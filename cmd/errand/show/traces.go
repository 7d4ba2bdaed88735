package show

import (
	"fmt"
	"time"

	"errand/tools"
)

func span(t tools.Trace) string { return Duration(time.Duration(t.DurationMS) * time.Millisecond) }

// table writes one row for each call, in the order in which they ended.
func (s *script) table() {
	paint := s.view.Paint
	if len(s.transcript.Traces) == 0 {
		s.line("\n%s", paint.Dim("no calls"))
		return
	}
	zone := s.view.Zone
	if zone == nil {
		zone = time.UTC
	}
	var heading []Cell
	for _, title := range []string{"CALL", "TOOL", "ID", "STATUS", "STARTED", "TOOK", "SIZE", "ERROR"} {
		heading = append(heading, Cell{title, paint.Dim})
	}
	rows := [][]Cell{heading}
	for _, t := range s.transcript.Traces {
		rows = append(rows, []Cell{
			{Text: fmt.Sprintf("%d/%d", t.Round, t.Index)},
			{Line(t.Tool), paint.Name},
			{Text: Line(t.ToolCallID)},
			{string(t.Status), paint.Status},
			{Text: t.StartedAt.In(zone).Format("15:04:05.000")},
			{Text: span(t)},
			{Text: Size(t.ResultSizeBytes)},
			{Text: Short(t.Error, 60)},
		})
	}
	s.line("")
	// A strings.Builder takes everything.
	_ = Table(&s.text, rows)
}
