package tools

import "time"

// Trace is the record of one call, also of one that was denied or cancelled
// (CL-11). Times are RFC 3339 in UTC.
type Trace struct {
	ToolCallID      string        `json:"tool_call_id"`
	Tool            string        `json:"tool"`
	Round           int           `json:"round"`
	Index           int           `json:"index"`
	StartedAt       time.Time     `json:"started_at"`
	EndedAt         time.Time     `json:"ended_at"`
	DurationMS      int64         `json:"duration_ms"`
	ResultSizeBytes int           `json:"result_size_bytes"`
	Success         bool          `json:"success"`
	Error           string        `json:"error,omitempty"`
	Status          OutcomeStatus `json:"status"`
	Attempt         int           `json:"attempt,omitempty"`
}

// TraceOf makes the trace of a settled call. seen and settled are the times
// that the run knows; they stand in where the call never ran.
func TraceOf(c Call, o Outcome, seen, settled time.Time) Trace {
	started, ended, attempt := o.StartedAt, o.EndedAt, o.Attempt
	switch {
	case started.IsZero():
		started, ended = seen, settled
	case ended.IsZero():
		ended, attempt = started.Add(time.Duration(o.TookMS)*time.Millisecond), max(1, attempt)
	}
	if ended.Before(started) { // the clocks of two machines may disagree
		ended = started
	}
	t := Trace{
		ToolCallID: c.ID, Tool: c.Tool, Round: c.Round, Index: c.Index,
		StartedAt: started.UTC(), EndedAt: ended.UTC(),
		DurationMS:      ended.Sub(started).Milliseconds(),
		ResultSizeBytes: max(len(o.Output), o.FullSize),
		Success:         o.Succeeded(), Status: o.Status, Attempt: attempt,
	}
	if !o.Succeeded() {
		t.Error = cutRunes(o.Message(), 300)
	}
	return t
}

func cutRunes(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
