package tools

import (
	"encoding/json"
	"fmt"
	"time"
)

// OutcomeStatus says how a call ended. Settled is not succeeded.
type OutcomeStatus string

const (
	// Succeeded calls did what they were asked to.
	Succeeded OutcomeStatus = "succeeded"
	// Failed calls did not, for a reason that the model reads.
	Failed OutcomeStatus = "failed"
	// Denied calls were refused by a capability, a budget, a hook or a person.
	Denied OutcomeStatus = "denied"
	// Cancelled calls ended with their run.
	Cancelled OutcomeStatus = "cancelled"
	// Expired calls ran past the client's deadline.
	Expired OutcomeStatus = "expired"
	// Unknown calls may have taken place: their worker was lost.
	Unknown OutcomeStatus = "unknown"
)

// Error types of outcomes.
const (
	ErrUnknownTool        = "UnknownTool"
	ErrInvalidArguments   = "InvalidArguments"
	ErrAccessDenied       = "AccessDenied"
	ErrCheckpointRequired = "CheckpointRequired"
	ErrBlocked            = "Blocked"
	ErrNoHandler          = "NoHandler"
	ErrActivationFailed   = "ActivationFailed"
	ErrExecutionFailed    = "ExecutionFailed"
	ErrTimedOut           = "TimedOut"
	ErrCancelled          = "Cancelled"
	ErrExpired            = "Expired"
	ErrOutcomeUnknown     = "OutcomeUnknown"
	ErrOutputTooLarge     = "OutputTooLarge"
	ErrTruncated          = "Truncated"
	ErrBudgetExceeded     = "BudgetExceeded"
)

// Outcome is the single result of a call, good or bad. A call that never ran
// ends in the same shape as one that did.
type Outcome struct {
	Status OutcomeStatus `json:"status"`
	// Output is the text the model reads.
	Output string `json:"output"`
	// ErrorType is one of the Err constants, empty for a success.
	ErrorType string `json:"error_type,omitempty"`
	Terminate bool   `json:"terminate,omitempty"`

	// StartedAt is when the execution began, to the millisecond; zero when the
	// call never ran.
	StartedAt time.Time `json:"started_at,omitzero"`
	// TookMS is how long it took, in milliseconds.
	TookMS int64 `json:"took_ms,omitempty"`
	// Attempt is the one that ended the call, from the second on.
	Attempt int `json:"attempt,omitempty"`
	// FullSize is the size in bytes of an output that was cut; 0 if it was not.
	FullSize int      `json:"full_size,omitempty"`
	Changes  []Change `json:"changes,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Public is what the call's public item shows beside its name and status.
	Public json.RawMessage `json:"public,omitempty"`
}

// Fail makes the outcome of a call that did not succeed. The message becomes
// the output, as JSON text that names the error type, so that the model and a
// person read the same.
func Fail(status OutcomeStatus, errorType, message string) Outcome {
	text, err := json.Marshal(struct {
		Error string `json:"error"`
		Type  string `json:"type"`
	}{message, errorType})
	if err != nil { // two strings always encode
		text = []byte(errorType)
	}
	return Outcome{Status: status, ErrorType: errorType, Output: string(text)}
}

// Message is the reason a failed outcome carries, or its whole output if it
// was not made by Fail.
func (o Outcome) Message() string {
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(o.Output), &body) == nil && body.Error != "" {
		return body.Error
	}
	return o.Output
}

// Succeeded tells whether the call did what it was asked to.
func (o Outcome) Succeeded() bool { return o.Status == Succeeded }

// Cut is the outcome with an output of at most limit bytes; see Cut.
func (o Outcome) Cut(limit int) Outcome {
	text, full := Cut(o.Output, limit)
	o.Output = text
	if o.FullSize == 0 {
		o.FullSize = full
	}
	return o
}

// RuntimeError is the error of a call that its tool, or what runs it, made fail:
// it was refused, could not be opened, or failed. CancelledError and
// ArgumentsError are no RuntimeErrors, so that code which handles the failures of
// tools does not swallow a cancellation.
type RuntimeError struct {
	// Type is one of the Err constants, for example ErrAccessDenied.
	Type    string
	Message string
}

func (e *RuntimeError) Error() string { return e.Type + ": " + e.Message }

// Is matches a RuntimeError of the same type, or of any if target has none.
func (e *RuntimeError) Is(target error) bool {
	t, ok := target.(*RuntimeError)
	return ok && (t.Type == "" || t.Type == e.Type)
}

// CancelledError is the error of a call that ended with its run.
type CancelledError struct{ Message string }

func (e *CancelledError) Error() string { return ErrCancelled + ": " + e.Message }

// ArgumentsError is the error of a call whose arguments do not fit its tool.
type ArgumentsError struct{ Message string }

func (e *ArgumentsError) Error() string { return fmt.Sprintf("%s: %s", ErrInvalidArguments, e.Message) }

// Err is the outcome as an error; nil for a success.
func (o Outcome) Err() error {
	switch {
	case o.Succeeded():
		return nil
	case o.Status == Cancelled || o.ErrorType == ErrCancelled:
		return &CancelledError{Message: o.Message()}
	case o.ErrorType == ErrInvalidArguments:
		return &ArgumentsError{Message: o.Message()}
	}
	return &RuntimeError{Type: o.ErrorType, Message: o.Message()}
}

// Trace is the record of one call, also of one that was denied or cancelled.
// Times are RFC 3339 in UTC.
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

// maxTraceError bounds the error in a trace, in characters.
const maxTraceError = 301

// TraceOf makes the trace of a settled call. seen and settled are the times
// that the run knows; they stand in where the call never ran.
func TraceOf(c Call, o Outcome, seen, settled time.Time) Trace {
	started, ended, attempt := seen, settled, o.Attempt
	if !o.StartedAt.IsZero() {
		started, attempt = o.StartedAt, max(1, attempt)
		ended = started.Add(time.Duration(o.TookMS) * time.Millisecond)
	}
	t := Trace{
		ToolCallID: c.ID, Tool: c.Tool, Round: c.Round, Index: c.Index,
		StartedAt: started.UTC(), EndedAt: ended.UTC(),
		DurationMS:      ended.Sub(started).Milliseconds(),
		ResultSizeBytes: max(len(o.Output), o.FullSize),
		Success:         o.Succeeded(), Status: o.Status, Attempt: attempt,
	}
	if !o.Succeeded() {
		t.Error = ShortenRunes(o.Message(), maxTraceError)
	}
	return t
}
