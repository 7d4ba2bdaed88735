package config

import (
	"fmt"
	"strings"

	"errand/tools"
)

// Error is everything wrong with a configuration, or with what a worker was
// made of. It names each fault by its key, so that one start shows all of them.
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

// NewError is an *Error, or nil when there is no fault.
func NewError(subject string, faults tools.Faults) error {
	if len(faults) == 0 {
		return nil
	}
	return &Error{Subject: subject, Faults: faults}
}
