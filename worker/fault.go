package worker

import (
	"errors"
	"fmt"
	"strings"

	"errand/tools"
)

// Error is everything wrong with a configuration, or with what New was given.
// It names each fault by its key, so that one start shows all of them.
type Error struct {
	// Subject is what has the faults, for example "the configuration".
	Subject string
	Faults  tools.Faults
}

// Error lists the faults, one a line.
func (e *Error) Error() string {
	noun := "faults"
	if len(e.Faults) == 1 {
		noun = "fault"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "worker: %d %s in %s:", len(e.Faults), noun, e.Subject)
	for _, fault := range e.Faults {
		text.WriteString("\n  " + fault.String())
	}
	return text.String()
}

// failed is an *Error, or nil when there is no fault.
func failed(subject string, faults tools.Faults) error {
	if len(faults) == 0 {
		return nil
	}
	return &Error{Subject: subject, Faults: faults}
}

// addEach records an error of another package: every fault of a list, with its
// own path, and every part of a joined error.
func addEach(faults *tools.Faults, path string, err error) {
	var list tools.Faults
	if errors.As(err, &list) {
		*faults = append(*faults, list...)
		return
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		faults.Add(path, err.Error())
		return
	}
	for _, part := range joined.Unwrap() {
		addEach(faults, path, part)
	}
}
