package workflows

import "go.temporal.io/sdk/workflow"

// journal is the run's events, in order.
type journal struct {
	events []Event
	round  int
	closed bool
}

func (j *journal) add(ctx workflow.Context, e Event) {
	e.Seq = len(j.events) + 1
	e.At = workflow.Now(ctx).UTC()
	e.Round = j.round
	j.events = append(j.events, e)
}

// page returns at most limit events after seq.
func (j *journal) page(after, limit int) EventsPage {
	after = min(max(after, 0), len(j.events))
	end := min(after+limit, len(j.events))
	events := append([]Event{}, j.events[after:end]...)
	return EventsPage{Events: events, Next: end, Done: j.closed && end == len(j.events)}
}
