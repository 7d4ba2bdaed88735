package starter

import (
	"errors"
	"fmt"

	"errand/tools"
)

var (
	// ErrNotFound means that the server knows no run with this id (any more: closed runs
	// are kept for the retention time of the namespace).
	ErrNotFound = errors.New("no such run")
	// ErrEnded means that the run has ended and takes nothing more.
	ErrEnded = errors.New("the run has ended")
	// ErrAlreadyStarted means that the id belongs to a run that exists.
	ErrAlreadyStarted = errors.New("already started")
	// ErrRunID means that the id of an existing run is not printable ASCII, and
	// that the Temporal client cannot send it: it puts ids into a header. Nothing
	// was sent. A client made with worker.AnyWorkflowID can.
	ErrRunID = errors.New("the client cannot send an id that is not printable ASCII: prepare it with worker.AnyWorkflowID")
	// ErrCancelled comes with the partial result of a run that was cancelled.
	ErrCancelled = errors.New("the run was cancelled")
	// ErrStorage means that a payload of the run is in external storage, and that it
	// cannot be read or written: the client has not the storage of the workers, the
	// object was deleted, or the storage does not answer. See package storage.
	ErrStorage = errors.New("the external storage of the run's payloads")
	// ErrNoReply means that the server or the workers did not reply in time.
	// What was sent may still take effect. Sending the same answer, approval or
	// claim again does no harm, nor does a message with an id.
	ErrNoReply = errors.New("no reply in time")
)

// States of a run that was ended from outside, without a word of its own. They
// appear in a ClosedError and a Summary, never in a StatusReport.
const (
	Terminated Status = "terminated"
	TimedOut   Status = "timed_out"
)

// InvalidRequestError lists everything wrong with a request. Nothing was sent.
type InvalidRequestError struct {
	Faults tools.Faults
}

// Error lists every fault with its JSON path.
func (e *InvalidRequestError) Error() string { return "invalid request: " + e.Faults.Error() }

// Unwrap returns the faults.
func (e *InvalidRequestError) Unwrap() error { return e.Faults }

// TooLargeError refuses what would not fit. Nothing was sent.
type TooLargeError struct {
	// What is "request", "output" or "content".
	What string
	// Size is what it takes as JSON text, Limit what is allowed, in bytes.
	Size, Limit int
}

// Error names the size and the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s too large: %d bytes, at most %d are taken", e.What, e.Size, e.Limit)
}

// RefusedError is the run's no to an answer, a claim, an approval or a message:
// an unknown id, a call that is already settled, somebody else's claim.
type RefusedError struct {
	Reason string
	// Type is RefusedOutput for an output that does not fit the
	// output_schema of its tool, and empty for everything else.
	Type string
}

// Error gives the run's reason.
func (e *RefusedError) Error() string { return "refused: " + e.Reason }

// RunFailedError says why a run failed. The partial result comes with it.
type RunFailedError struct {
	// Type is one of the run error types of this package, for example
	// ErrModelRejected.
	Type    string
	Message string
}

// Error gives the type and the message.
func (e *RunFailedError) Error() string {
	return fmt.Sprintf("the run failed: %s: %s", e.Type, e.Message)
}

// ClosedError says that a run was closed from outside (Status is Terminated or
// TimedOut), so that there is no last event and no result; or that it has
// ended and cannot tell its last events.
type ClosedError struct {
	Status Status
}

// Error names the status.
func (e *ClosedError) Error() string { return fmt.Sprintf("the run is closed: %s", e.Status) }

// NoHandlerError ends Serve under the policy Fail.
type NoHandlerError struct {
	Tool string
}

// Error names the tool.
func (e *NoHandlerError) Error() string { return fmt.Sprintf("no handler for %q", e.Tool) }
