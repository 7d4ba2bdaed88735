package contract

import (
	"encoding/json"
	"time"

	"errand/tools"
	"errand/tools/item"
)

// StatusReport answers the query status.
type StatusReport struct {
	RunID     string         `json:"run_id"`
	Status    Status         `json:"status"`
	Round     int            `json:"round"`
	Actions   []OpenAction   `json:"actions"`
	Approvals []OpenApproval `json:"approvals"`
	// Sessions are what was opened for the run.
	Sessions []OpenSession `json:"activations,omitempty"`
	// Stop says who stopped the run, and how; nil when nobody did.
	Stop *StopReport `json:"stop,omitempty"`
	// ActionsLeftOut counts open actions that did not fit in one answer.
	ActionsLeftOut int        `json:"actions_left_out,omitempty"`
	Usage          item.Usage `json:"usage"`
	// Cost is absent where the worker knows no price for the model.
	Cost *item.Cost `json:"cost,omitempty"`
	// Budget is there while the run asks for a larger one.
	Budget    *OpenBudget `json:"budget,omitempty"`
	LastError string      `json:"last_error"`
	// Events is the number of the newest event.
	Events int `json:"events"`
	// Rejected counts the signals that could not be taken; the first 100 are
	// events.
	Rejected int `json:"rejected,omitempty"`
	// Items is the length of the conversation.
	Items int `json:"items"`
}

// OpenSession is a source that was opened for the run, and the task queue of
// the worker that holds it.
type OpenSession struct {
	Source string        `json:"source"`
	Epoch  int           `json:"epoch"`
	Status SessionStatus `json:"status"`
	Queue  string        `json:"queue,omitempty"`
	Error  string        `json:"error,omitempty"`
}

// EventsQuery asks for the events after a number, at most limit of them.
type EventsQuery struct {
	After int `json:"after"`
	Limit int `json:"limit"`
}

// EventsPage holds events; ask again with After set to Next. Done says that
// the run has ended and this page holds its last event.
type EventsPage struct {
	Events []Event `json:"events"`
	Next   int     `json:"next"`
	Done   bool    `json:"done"`
	// LeftOut counts the events before these that a very long run no longer
	// has: the numbers jump by so many.
	LeftOut int `json:"left_out,omitempty"`
}

// PageQuery asks for entries from an index on, at most max_bytes of them.
type PageQuery struct {
	From     int `json:"from"`
	MaxBytes int `json:"max_bytes"`
}

// ItemsPage holds conversation items; ask again with From set to Next until
// Done.
type ItemsPage struct {
	Items []json.RawMessage `json:"items"`
	Next  int               `json:"next"`
	Done  bool              `json:"done"`
}

// TracesPage holds traces; ask again with From set to Next until Done.
type TracesPage struct {
	Traces []tools.Trace `json:"traces"`
	Next   int           `json:"next"`
	Done   bool          `json:"done"`
}

// SurfacePage holds a piece of the surface's JSON text; From and Next count
// bytes.
type SurfacePage struct {
	Text string `json:"text"`
	Next int    `json:"next"`
	Done bool   `json:"done"`
}

// OpenBudget is the question in the answer to the query status.
type OpenBudget struct {
	// Reason is the budget that is used up: max_rounds, max_tokens or max_cost.
	Reason string `json:"reason"`
	// ExpiresAt is the deadline of client_timeout; absent when there is none.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}
