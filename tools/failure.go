package tools

import "fmt"

// RuntimeError is the error of a call that its tool, or what runs it, made fail:
// it was refused, could not be opened, or failed. CancelledError and
// ArgumentsError are no RuntimeErrors, so that code which handles the failures of
// tools does not swallow a cancellation (CL-12).
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
