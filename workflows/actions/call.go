// Package actions holds the calls of a run: those of the batch that is handled,
// and the record of all that was ever handed to a client or asked of a person.
// It decides which of them a message from outside means, and when one of them
// is due. It knows neither the workflow nor the clock: times are passed in.
//
// The exported fields are what a run takes into its next execution, as JSON. The
// others are worked out again by [Ledger.Connect].
package actions

import (
	"time"

	"errand/tools"
)

// Call is one call of the current batch and where it stands.
type Call struct {
	tools.Call
	// Kind is the type of the call's item.
	Kind string    `json:"kind,omitempty"`
	Seen time.Time `json:"seen,omitzero"`
	// Begun is true once the call is being handled, Joined once its output is in
	// the conversation, Started once its execution was scheduled.
	Begun   bool `json:"begun,omitempty"`
	Joined  bool `json:"joined,omitempty"`
	Started bool `json:"started,omitempty"`
	// Update is the number of the last event with a partial result.
	Update int `json:"update,omitempty"`
	// Place is where among the public items the call is shown, from 1; 0 is
	// nowhere.
	Place int `json:"place,omitempty"`
	// Expiry is until when a client or a person is waited for; zero is for ever.
	Expiry time.Time `json:"expiry,omitzero"`
	// Outcome is nil until the call is settled; the first one stays.
	Outcome *tools.Outcome `json:"outcome,omitempty"`

	// Descriptor is what the name of the call stands for in this run.
	Descriptor tools.Descriptor `json:"-"`
	// Action and Approval are nil until the call is handed over or asked about.
	Action   *Action   `json:"-"`
	Approval *Approval `json:"-"`
	// size is that of the outcome as JSON, once somebody has asked for it.
	size int
}

// Settled tells whether the call has its outcome.
func (c *Call) Settled() bool { return c.Outcome != nil }

// Asked tells whether a person has been asked about the call and has not
// answered.
func (c *Call) Asked() bool { return c.Approval != nil && !c.Approval.Settled }

// Waits tells whether a client or a person is waited for, or will be at once: a
// client's call that was just approved is about to be handed over.
func (c *Call) Waits() bool {
	if c.Settled() {
		return false
	}
	return c.Action != nil || c.Asked() || (c.Approval != nil && c.Descriptor.Owner == tools.OwnedByClient)
}

// Join marks that the outcome is in the conversation, and lets go of the texts
// that are there now.
func (c *Call) Join() {
	c.Joined, c.Arguments = true, ""
	c.Outcome = &tools.Outcome{Status: c.Outcome.Status, Terminate: c.Outcome.Terminate}
}

// OutputSize is the size of a settled call's output as JSON text. It is worked
// out once, since outputs are large; 0 before the call is settled.
func (c *Call) OutputSize() int {
	if c.Settled() && c.size == 0 {
		c.size = tools.EncodedSize(c.Outcome.Output)
	}
	return c.size
}

// Batch is the calls of one answer, or a part of them, in origin order.
type Batch []*Call

// Settled tells whether every call has its outcome.
func (b Batch) Settled() bool {
	for _, c := range b { // asked whenever a workflow task goes on: it makes no list
		if !c.Settled() {
			return false
		}
	}
	return true
}

// Open are the calls that have no outcome yet.
func (b Batch) Open() Batch {
	var open Batch
	for _, c := range b {
		if !c.Settled() {
			open = append(open, c)
		}
	}
	return open
}

// Terminating tells whether every outcome asked to end the run.
func (b Batch) Terminating() bool {
	for _, c := range b {
		if !c.Settled() || !c.Outcome.Terminate {
			return false
		}
	}
	return len(b) > 0
}

// Groups are what is prepared and executed together: the whole batch, or one
// call after the other.
func (b Batch) Groups(sequential bool) []Batch {
	if !sequential {
		return []Batch{b}
	}
	groups := make([]Batch, len(b))
	for i := range b {
		groups[i] = b[i : i+1]
	}
	return groups
}

// Resting tells whether every open call is in the hands of a client or a
// person, so that nothing of this execution is under way.
func (b Batch) Resting() bool {
	for _, c := range b.Open() {
		if c.Action == nil && !c.Asked() {
			return false
		}
	}
	return true
}

// NextExpiry is the earliest deadline of the open calls that were, or will be,
// in somebody else's hands.
func (b Batch) NextExpiry() (next time.Time, some bool) {
	for _, c := range b.Open() {
		if (c.Action != nil || c.Approval != nil) && !c.Expiry.IsZero() && (!some || c.Expiry.Before(next)) {
			next, some = c.Expiry, true
		}
	}
	return next, some
}

// Due are the open calls whose deadline is at or before a time. One that was
// approved and is executed by the worker can be among them: it has the time-out
// of its tool instead, and does not wait.
func (b Batch) Due(at time.Time) Batch {
	var due Batch
	for _, c := range b.Open() {
		if !c.Expiry.IsZero() && !c.Expiry.After(at) {
			due = append(due, c)
		}
	}
	return due
}
