package connect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"errand/starter"
	"errand/workflows/contract"
)

// runError is about one run; it says which.
type runError struct {
	runID string
	err   error
}

func (e *runError) Error() string { return e.err.Error() }
func (e *runError) Unwrap() error { return e.err }

// About says which run an error is about.
func About(runID string, err error) error {
	if err == nil {
		return nil
	}
	return &runError{runID, err}
}

// RunOf is the run that an error is about.
func RunOf(err error) string {
	var about *runError
	if errors.As(err, &about) {
		return about.runID
	}
	return ""
}

// Text is an error without the steps of this program that led to it.
func Text(err error) string {
	id := RunOf(err)
	if _, why, found := strings.Cut(err.Error(), "run "+id+": "); found && id != "" {
		return fmt.Sprintf("run %s: %s", id, why)
	}
	return err.Error()
}

// Ended is a run whose result can be waited for. *starter.Run is one.
type Ended interface {
	ID() string
	Result(ctx context.Context) (*contract.Result, error)
}

// Result waits for the end of a run. One that failed or was cancelled has a
// result like any other.
func Result(ctx context.Context, run Ended) (*contract.Result, error) {
	result, err := run.Result(ctx)
	var failed *starter.RunFailedError
	if result != nil && (errors.As(err, &failed) || errors.Is(err, starter.ErrCancelled)) {
		return result, nil
	}
	if err == nil && result == nil {
		return nil, fmt.Errorf("run %s has no result", run.ID())
	}
	return result, err
}
