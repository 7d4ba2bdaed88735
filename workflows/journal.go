package workflows

import "go.temporal.io/sdk/workflow"

// journal is the run's events, in order.
type journal struct {
	events []Event
	round  int
	closed bool
}

// add appends an event and returns its number.
func (j *journal) add(ctx workflow.Context, e Event) int {
	e.Seq = len(j.events) + 1
	e.At = workflow.Now(ctx).UTC()
	e.Round = j.round
	j.events = append(j.events, e)
	return e.Seq
}

// blank takes the text out of an event that a newer one has replaced, so that
// a chatty tool does not grow the run.
func (j *journal) blank(seq int) { j.events[seq-1].Text = "" }

// page returns at most limit events after seq, within the size of a page.
func (j *journal) page(after, limit int) EventsPage {
	after = min(max(after, 0), len(j.events))
	end, room := after, MaxPageSize
	for end < min(after+limit, len(j.events)) {
		if room -= encodedSize(j.events[end]) + 1; room < 0 && end > after {
			break
		}
		end++
	}
	events := append([]Event{}, j.events[after:end]...)
	return EventsPage{Events: events, Next: end, Done: j.closed && end == len(j.events)}
}
