package starter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.temporal.io/api/serviceerror"

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
	// Type is one of the run error types of package workflows, for example
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

// errUnreadable marks an answer that this build cannot decode.
var errUnreadable = errors.New("unreadable")

// wrap turns an error of the client into one of this package. ctx is the
// caller's: once it has ended, that is the error.
func (r *Run) wrap(ctx context.Context, doing string, err error) error {
	doing = fmt.Sprintf("%s run %s", doing, r.id)
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	if isA[*serviceerror.NotFound](err) {
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	if headerRefused(err) {
		return fmt.Errorf("%s: %w", doing, ErrRunID)
	}
	if isStorageError(err) {
		return fmt.Errorf("%s: %w: %w", doing, ErrStorage, err)
	}
	if permanent(err) || queryRefused(err) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w: %w", doing, ErrNoReply, err)
}

// permanent tells whether trying again cannot help.
func permanent(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, errUnreadable) || errors.Is(err, ErrRunID) || headerRefused(err) || storageMissing(err) ||
		isA[*serviceerror.PermissionDenied](err) || isA[*serviceerror.InvalidArgument](err) ||
		isA[*serviceerror.NamespaceNotFound](err) || isA[*serviceerror.Unimplemented](err) ||
		isA[*serviceerror.ClientVersionNotSupported](err) || isA[*serviceerror.ServerVersionNotSupported](err)
}

// isStorageError tells whether the client could not store or fetch a payload. The
// SDK has no type for it.
func isStorageError(err error) bool {
	if isA[serviceerror.ServiceError](err) { // it is about the storage of somebody else
		return false
	}
	text := err.Error()
	return storageMissing(err) || strings.Contains(text, "storage driver") &&
		(strings.Contains(text, "retrieve failed") || strings.Contains(text, "store failed"))
}

// storageMissing tells whether the client has not the storage that it would need,
// or the storage has not the payload.
func storageMissing(err error) bool {
	if err == nil || isA[serviceerror.ServiceError](err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "[TMPRL1105]") || strings.Contains(text, "no storage driver registered") ||
		strings.Contains(text, "storage driver") && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist))
}

// headerRefused tells whether nothing was sent because the run's id did not fit
// the header that clients put it into.
func headerRefused(err error) bool {
	return isA[*serviceerror.Internal](err) && strings.Contains(err.Error(), "non-printable ASCII")
}

// queryRefused tells whether a worker answered, and said no: it does not know
// the query, or cannot bring the run up to date.
func queryRefused(err error) bool { return isA[*serviceerror.QueryFailed](err) }

func isA[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func asA[E error](err error, target *E) bool { return errors.As(err, target) }
