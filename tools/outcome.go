package tools

import (
	"encoding/json"
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
// ends in the same shape as one that did (PI-9).
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
	// EndedAt stands in outcomes of earlier builds in place of TookMS.
	EndedAt time.Time `json:"ended_at,omitzero"`
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
