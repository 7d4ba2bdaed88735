// Package session keeps the sessions that live in one worker: what is opened for
// a run, used by its calls, and closed with it.
package session

import "fmt"

// ID says which session of which run is meant.
type ID struct {
	// RunID is the workflow id, Chain the id of the first run of its chain: a
	// later run of the same workflow id has nothing to do with it.
	RunID  string `json:"run_id"`
	Chain  string `json:"chain"`
	Source string `json:"source"`
	// Epoch counts the sessions of the source in the run, from 1.
	Epoch int `json:"epoch"`
}

func (s ID) String() string { return fmt.Sprintf("%s (session %d)", s.Source, s.Epoch) }

// Location is a session and the task queue of the worker that has it.
type Location struct {
	Session ID     `json:"activation"`
	Queue   string `json:"queue"`
}

// Closed is a session that its worker has closed of its own accord, and what
// closing it said.
type Closed struct {
	Location
	Error string `json:"error,omitempty"`
}

// Signals from workers about the sessions of a run.
const (
	// SignalOpening goes to the run's Cleanup before anything is opened, so that
	// it knows of the session even if the run ends at that moment. Payload:
	// Location.
	SignalOpening = "session_opening"
	// SignalClosed goes to the run and its Cleanup. Payload: Closed.
	SignalClosed = "session_closed"
)
