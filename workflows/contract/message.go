package contract

import (
	"encoding/json"
	"time"

	"errand/tools/item"
)

// Message is the payload of message. Deliver is steer (after the current
// batch; the default) or follow_up (when no calls and no steering remain).
type Message struct {
	// ID makes it safe to send the message again when it is not known whether
	// it arrived: the run takes one id once. It may be empty.
	ID      string          `json:"id,omitempty"`
	Role    string          `json:"role,omitempty"`
	Content json.RawMessage `json:"content"`
	Deliver string          `json:"deliver,omitempty"`
}

// Ways to deliver a message.
const (
	DeliverSteer    = "steer"
	DeliverFollowUp = "follow_up"
)

// Stop is the payload of stop. Mode is required.
type Stop struct {
	Mode   StopMode `json:"mode"`
	Actor  string   `json:"actor,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// StopMode says how much of what is going on a stopped run still does.
type StopMode string

// Ways to stop a run, from the mildest to the hardest.
const (
	// StopAfterRound finishes the round: the answer of the model, its whole
	// batch, clients and people included. No other inference follows.
	StopAfterRound StopMode = "after_round"
	// StopAfterTools lets the tools that run come to their end. Nothing else
	// begins, and nobody is waited for; an inference in progress is given up.
	StopAfterTools StopMode = "after_tools"
	// StopNow is a cancel: tools are told to stop.
	StopNow StopMode = "now"
)

// Harder tells whether a mode gives up more than another.
func (m StopMode) Harder(than StopMode) bool {
	rank := map[StopMode]int{StopAfterRound: 1, StopAfterTools: 2, StopNow: 3}
	return rank[m] > rank[than]
}

// StopReport says that somebody stopped the run.
type StopReport struct {
	Mode   StopMode  `json:"mode"`
	Actor  string    `json:"actor,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// Extend is the payload of extend: the new limits of the run, or that there is
// to be no larger budget. Limits that are left out stay.
type Extend struct {
	MaxRounds int        `json:"max_rounds,omitempty"`
	MaxTokens int        `json:"max_tokens,omitempty"`
	MaxCost   *item.Cost `json:"max_cost,omitempty"`
	// Decline ends a run that asks for a larger budget.
	Decline bool   `json:"decline,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Actor   string `json:"actor,omitempty"`
}

// Receipt answers an accepted update.
type Receipt struct {
	// ID is the action, approval or call that was settled, or "message".
	ID string `json:"id"`
	// Status is the state it is in now.
	Status string `json:"status"`
	// Repeated is true when the same had been accepted before: nothing
	// changed.
	Repeated bool `json:"repeated,omitempty"`
}
