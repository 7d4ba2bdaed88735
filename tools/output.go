package tools

import "encoding/json"

// Output is what a tool returns.
type Output struct {
	// Content goes to the model. A string stays as it is; anything else
	// becomes its JSON text.
	Content any
	// IsError marks a failure that the model should read.
	IsError bool
	// Terminate asks to end the run without another inference. It counts only
	// when every call of the batch says so.
	Terminate bool
	// Changes are recorded in the run's result.
	Changes []Change
	// Public is what the call's public item shows beside its name and status: a
	// JSON object whose members depend on the declaration type. At most 64 KiB.
	Public json.RawMessage
	// Warnings go to the run's result; the model does not read them.
	Warnings []string
}

// Change is one thing that a tool changed.
type Change struct {
	Resource string `json:"resource"`
	Kind     string `json:"kind"`
	Detail   string `json:"detail,omitempty"`
}

// CallError is the failure of a call by a source that knows more about it than
// a text: which outcome it is, and how the source itself says it.
type CallError struct {
	// Status is Failed, or Unknown for a call that may have taken place.
	Status OutcomeStatus
	// Type is one of the Err constants.
	Type    string
	Message string
	// Detail is the failure in the source's own shape, as JSON.
	Detail json.RawMessage
}

func (e *CallError) Error() string { return e.Message }

// Finding is what a tool says about a call whose attempt was lost.
type Finding struct {
	Found Found
	// Output is the result of a call that was done.
	Output Output
}

// Found says what became of a lost attempt.
type Found string

const (
	// FoundDone calls took place; their result is at hand.
	FoundDone Found = "done"
	// FoundNotDone calls did not take place and no longer will: it is safe to
	// run them.
	FoundNotDone Found = "not_done"
	// FoundUnknown is for a tool that cannot tell.
	FoundUnknown Found = "unknown"
)
