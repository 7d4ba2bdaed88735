package starter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.temporal.io/api/serviceerror"
)

// errUnreadable marks an answer that this build cannot decode.
var errUnreadable = errors.New("unreadable")

// fault turns an error of the client into one of this package. ctx is the
// caller's: once it has ended, that is the error.
func (r *Run) fault(ctx context.Context, doing string, err error) error {
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
	if isStorageFault(err) {
		return fmt.Errorf("%s: %w: %w", doing, ErrStorage, err)
	}
	if lasting(err) || queryRefused(err) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w: %w", doing, ErrNoReply, err)
}

// lasting tells whether trying again cannot help.
func lasting(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.Is(err, errUnreadable) || errors.Is(err, ErrRunID) || headerRefused(err) || storageMissing(err) ||
		isA[*serviceerror.PermissionDenied](err) || isA[*serviceerror.InvalidArgument](err) ||
		isA[*serviceerror.NamespaceNotFound](err) || isA[*serviceerror.Unimplemented](err) ||
		isA[*serviceerror.ClientVersionNotSupported](err) || isA[*serviceerror.ServerVersionNotSupported](err)
}

// isStorageFault tells whether the client could not store or fetch a payload. The
// SDK has no type for it.
func isStorageFault(err error) bool {
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
