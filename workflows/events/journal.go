// Package events keeps the journal of a run.
package events

import (
	"time"

	"errand/tools"
	"errand/workflows/contract"
)

// Journal is the run's events, in order.
type Journal struct {
	Events []contract.Event `json:"events,omitempty"`
	// First is how many older ones are no longer held: see Shed.
	First int `json:"first,omitempty"`
	// Rejected counts the signals that could not be taken.
	Rejected int `json:"rejected,omitempty"`
	// closed is not carried: a run that ends does not continue.
	closed bool
}

// MaxRejected bounds the events about signals that could not be taken: a flood
// of them must not grow the run. What is beyond is counted.
const MaxRejected = 100

// Reject counts a signal that could not be taken, and tells whether there is
// to be an event about it.
func (j *Journal) Reject() bool {
	j.Rejected++
	return j.Rejected <= MaxRejected
}

// Last is the number of the newest event.
func (j *Journal) Last() int { return j.First + len(j.Events) }

// Add appends an event and returns its number.
func (j *Journal) Add(now time.Time, e contract.Event) int {
	e.Seq = j.Last() + 1
	e.At = now.UTC()
	j.Events = append(j.Events, e)
	return e.Seq
}

// Close says that no event follows any more.
func (j *Journal) Close() { j.closed = true }

// Blank takes the text out of an event that a newer one has replaced, so that
// a chatty tool does not grow the run.
func (j *Journal) Blank(seq int) {
	if seq > j.First {
		j.Events[seq-1-j.First].Text = ""
	}
}

// Shed leaves the oldest events behind, so that only so many stay, and returns
// how many these were.
func (j *Journal) Shed(keep int) int {
	old := max(0, len(j.Events)-keep)
	j.Events, j.First = j.Events[old:], j.First+old
	return old
}

// Page returns at most limit events after a number, within the size of a page.
func (j *Journal) Page(after, limit int) contract.EventsPage {
	after = min(max(after, 0), j.Last())
	page := contract.EventsPage{Events: []contract.Event{}, LeftOut: max(0, j.First-after)}
	start := max(after-j.First, 0)
	end, room := start, contract.MaxPageSize
	for end < min(start+limit, len(j.Events)) {
		if room -= tools.ElementSize(j.Events[end]); room < 0 && end > start {
			break
		}
		end++
	}
	page.Events = append(page.Events, j.Events[start:end]...)
	page.Next, page.Done = j.First+end, j.closed && end == len(j.Events)
	return page
}
