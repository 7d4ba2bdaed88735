package tools

import "encoding/json"

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
