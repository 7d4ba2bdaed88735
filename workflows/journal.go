package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
)

// journal is the run's events, in order.
type journal struct {
	events []contract.Event
	// first is how many older ones are no longer held: see shed.
	first  int
	round  int
	closed bool
	// rejected counts the signals that could not be taken.
	rejected int
}

// maxRejected bounds the events about signals that could not be taken: a flood
// of them must not grow the run. What is beyond is counted.
const maxRejected = 100

// reject records a signal that could not be taken.
func (j *journal) reject(ctx workflow.Context, reason string) {
	if j.rejected++; j.rejected <= maxRejected {
		j.add(ctx, contract.Event{Type: contract.EventRejected, Reason: reason})
	}
}

// last is the number of the newest event.
func (j *journal) last() int { return j.first + len(j.events) }

// add appends an event and returns its number.
func (j *journal) add(ctx workflow.Context, e contract.Event) int {
	e.Seq = j.last() + 1
	e.At = workflow.Now(ctx).UTC()
	e.Round = j.round
	j.events = append(j.events, e)
	return e.Seq
}

// blank takes the text out of an event that a newer one has replaced, so that
// a chatty tool does not grow the run.
func (j *journal) blank(seq int) {
	if seq > j.first {
		j.events[seq-1-j.first].Text = ""
	}
}

// page returns at most limit events after seq, within the size of a page.
func (j *journal) page(after, limit int) contract.EventsPage {
	after = min(max(after, 0), j.last())
	page := contract.EventsPage{Events: []contract.Event{}, LeftOut: max(0, j.first-after)}
	start := max(after-j.first, 0)
	end, room := start, contract.MaxPageSize
	for end < min(start+limit, len(j.events)) {
		if room -= itemSize(j.events[end]); room < 0 && end > start {
			break
		}
		end++
	}
	page.Events = append(page.Events, j.events[start:end]...)
	page.Next, page.Done = j.first+end, j.closed && end == len(j.events)
	return page
}
