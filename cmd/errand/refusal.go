package main

import (
	"errors"
	"fmt"
	"strings"

	"errand/cmd/errand/words"
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

// about says which run an error is about.
func about(runID string, err error) error {
	if err == nil {
		return nil
	}
	return &runError{runID, err}
}

// explainRefusal is for what a run said no to.
func (a *app) explainRefusal(err error) (problem, bool) {
	var refused *starter.RefusedError
	var closed *starter.ClosedError
	switch {
	case errors.As(err, &refused):
		return problem{refused.Error(), typeRefused, nil, exitRefused}, true
	case errors.Is(err, starter.ErrEnded):
		return problem{"refused: the run has ended and takes nothing more", typeRefused, nil, exitRefused}, true
	case errors.Is(err, starter.ErrNotFound):
		return problem{a.notFound(err), typeUnknownRun, nil, exitUnknownRun}, true
	case errors.Is(err, starter.ErrAlreadyStarted):
		id := runOf(err)
		return problem{fmt.Sprintf("run %s was already started: choose another --run-id, or watch it with %q", id, a.usage("attach %s", words.Quote(id))), typeOther, nil, exitFailed}, true
	case errors.As(err, &closed):
		return problem{closedWords(closed.Status), typeOther, nil, exitFailed}, true
	}
	return problem{}, false
}

// closedWords says how a run has ended that left no result.
func closedWords(status contract.Status) string {
	switch status {
	case starter.Terminated:
		return "run terminated: it was closed from outside and has no result"
	case starter.TimedOut:
		return "run timed out: it was started with an execution time-out, and has no result"
	default:
		return fmt.Sprintf("run %s, but its last events cannot be read", status)
	}
}

// notFound says which run there is not.
func (a *app) notFound(err error) string {
	var (
		none  *noRunsError
		other *otherKindError
	)
	message := "no such run: " + runOf(err)
	switch {
	case errors.As(err, &none):
		return fmt.Sprintf("%s: start one with %q", none, a.usage("run"))
	case errors.As(err, &other):
		message += " (" + other.Error() + ")"
	}
	return fmt.Sprintf("%s; list the runs with %q", message, a.usage("ls"))
}

// runOf is the run that an error is about.
func runOf(err error) string {
	var about *runError
	if errors.As(err, &about) {
		return about.runID
	}
	return ""
}

// plain is an error without the steps of this program that led to it.
func plain(err error) string {
	id := runOf(err)
	if _, why, found := strings.Cut(err.Error(), "run "+id+": "); found && id != "" {
		return fmt.Sprintf("run %s: %s", id, why)
	}
	return err.Error()
}
