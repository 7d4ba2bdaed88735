package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Transcript is all that there is to read about one run.
type Transcript struct {
	ID     string
	Status contract.Status
	// Reason says why the run is incomplete.
	Reason string
	Model  string
	Rounds int
	Usage  item.Usage
	// Items is the conversation, or as much of it as is known.
	Items []json.RawMessage
	// Traces are those of all settled calls.
	Traces    []tools.Trace
	Actions   []contract.OpenAction
	Approvals []contract.OpenApproval
	// Sessions are what was opened for the run; only what is open is shown.
	Sessions []contract.OpenSession
	// Stop says who stopped the run, nil when nobody did.
	Stop     *contract.StopReport
	Error    *contract.RunError
	Warnings []string
}

// View says how a transcript is written.
type View struct {
	Paint Paint
	// Limit bounds each text, in bytes; 0 is no bound.
	Limit int
	// Traces adds the table of all calls.
	Traces bool
	// Answer and Approve are the commands that settle what is open.
	Answer  func(contract.OpenAction) string
	Approve func(contract.OpenApproval) string
	// Zone is for times.
	Zone *time.Location
}

// Write writes the transcript.
func (v View) Write(w io.Writer, t Transcript) error {
	s := &script{view: v, transcript: t, traces: byCall(t.Traces), names: map[string]string{}}
	s.heading()
	for _, raw := range t.Items {
		s.item(raw)
	}
	s.open()
	s.sessions()
	s.closing()
	if v.Traces {
		s.table()
	}
	_, err := io.WriteString(w, s.text.String())
	return err
}

// script is one transcript being written.
type script struct {
	view       View
	transcript Transcript
	traces     map[string][]tools.Trace
	// names are those of the tools by call id.
	names map[string]string
	text  strings.Builder
}

// byCall groups traces by call id. Ids repeat from round to round; outputs
// stand in the conversation in the order of rounds.
func byCall(all []tools.Trace) map[string][]tools.Trace {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b tools.Trace) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Index, b.Index))
	})
	grouped := map[string][]tools.Trace{}
	for _, t := range sorted {
		grouped[t.ToolCallID] = append(grouped[t.ToolCallID], t)
	}
	return grouped
}

func (s *script) line(format string, args ...any) {
	fmt.Fprintf(&s.text, format+"\n", args...)
}

// block writes a text of the conversation, indented and cut.
func (s *script) block(text string) {
	full := len(text)
	if limit := s.view.Limit; limit > 0 && full > limit {
		text = strings.ToValidUTF8(text[:limit], "")
		s.line("%s", Indent(strings.TrimRight(text, "\n")))
		s.line("%s", Indent(s.view.Paint.Dim(fmt.Sprintf("… %s of %s; --full shows all", Size(limit), Size(full)))))
		return
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		s.line("%s", Indent(text))
	}
}

func (s *script) heading() {
	t, paint := s.transcript, s.view.Paint
	parts := []string{paint.Bold(Line(t.ID)), paint.Status(string(t.Status))}
	if t.Reason != "" {
		parts[1] += " (" + Line(t.Reason) + ")"
	}
	if t.Model != "" {
		parts = append(parts, Line(t.Model))
	}
	parts = append(parts, Count(t.Rounds, "round"))
	s.line("%s", strings.Join(parts, " · "))
}

func (s *script) open() {
	t, paint := s.transcript, s.view.Paint
	if len(t.Actions)+len(t.Approvals) == 0 {
		return
	}
	s.line("\n%s", paint.Bold("open"))
	for _, a := range t.Actions {
		state := paint.Status(string(a.Status))
		if a.Owner != "" {
			state += " by " + Line(a.Owner)
		}
		s.line("  %s %s%s %s", paint.Wait("?"), paint.Name(Tool(a.Manifest)), paint.Dim(" ("+Line(a.ActionID)+")"), state)
		s.block(Indent(Arguments(a.Manifest)))
		if s.view.Answer != nil {
			s.line("    answer: %s", s.view.Answer(a))
		}
	}
	for _, a := range t.Approvals {
		s.line("  %s %s%s wants approval%s", paint.Wait("?"), paint.Name(Line(a.Tool)), paint.Dim(" ("+Line(a.ApprovalRequestID)+")"), because(a.Reason))
		s.block(Indent(JSON(a.Args)))
		if s.view.Approve != nil {
			s.line("    approve: %s", s.view.Approve(a))
		}
	}
}

// sessions are what lives in a worker for this run.
func (s *script) sessions() {
	for _, a := range s.transcript.Sessions {
		if a.Status != contract.SessionOpen && a.Status != contract.SessionOpening {
			continue
		}
		s.line("\n%s %s %s%s", s.view.Paint.Dim(Line(string(a.Status))+":"), s.view.Paint.Name(Line(a.Source)),
			s.view.Paint.Dim(fmt.Sprintf("(opening %d)", a.Epoch)), at(a.Queue))
	}
}

// at names the task queue of the worker that holds something.
func at(queue string) string {
	if queue == "" {
		return ""
	}
	return " at " + Line(queue)
}

func (s *script) closing() {
	t, paint := s.transcript, s.view.Paint
	if t.Stop != nil {
		s.line("\n%s %s%s%s", paint.Wait("stop:"), strings.ReplaceAll(Line(string(t.Stop.Mode)), "_", " "), by(t.Stop.Actor), because(t.Stop.Reason))
	}
	s.line("\n%s %d in, %d out", paint.Dim("tokens:"), t.Usage.InputTokens, t.Usage.OutputTokens)
	if t.Error != nil {
		text := Line(t.Error.Message)
		if n := len(t.Error.Faults); n > 0 { // they are the message
			text = Count(n, "fault") + " in the request"
		}
		s.line("%s %s: %s", paint.Bad("error:"), Line(t.Error.Code), text)
		for _, fault := range t.Error.Faults {
			s.line("  %s", Line(fault.String()))
		}
	}
	for _, warning := range t.Warnings {
		s.line("%s %s", paint.Wait("warning:"), Line(warning))
	}
}

// Tool is the name of a call's tool, with its namespace if it has one.
func Tool(m contract.Manifest) string {
	if m.Namespace != "" {
		return Line(m.Namespace + "." + m.Tool)
	}
	return Line(m.Tool)
}

// Arguments lays out what a call was given: JSON arguments, or the input of a
// custom tool.
func Arguments(m contract.Manifest) string {
	if m.Input != nil {
		return Block(*m.Input)
	}
	return JSON(m.Args)
}

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
