package workflows

import (
	"encoding/json"
	"errors"

	"errand/tools"
)

const (
	// MaxStateSize is the largest state, compressed, that a run takes into a
	// new execution: a Temporal server takes 2 MiB of arguments.
	MaxStateSize = 15 << 17
	// maxRawState bounds the state before it is compressed. That is work of a
	// workflow task, which must not take long.
	maxRawState = 12 << 20
	// MaxStoredState is the largest state, before and after it is compressed,
	// where the workers have external storage.
	MaxStoredState = 24 << 20
	// Older events and traces than these are left behind by a run that
	// continues; fewer travel with one that would not fit otherwise.
	keptEvents, fewEvents = 20_000, 2_000
	keptTraces, fewTraces = 5_000, 500
)

var errStateTooLarge = errors.New("the state of the run is too large for a new execution")

// maxRaw and maxState bound the state before and after it is compressed.
func (r *run) maxRaw() int   { return r.orStored(maxRawState) }
func (r *run) maxState() int { return r.orStored(MaxStateSize) }

func (r *run) orStored(limit int) int {
	if r.report.stored > 0 {
		return MaxStoredState
	}
	return limit
}

// pack is the state of the run as it travels. It can be larger than maxState.
func (r *run) pack() ([]byte, error) {
	s := r.snapshot()
	s.shed(keptEvents, keptTraces)
	if s.rawSize() > r.maxRaw() {
		s.shed(fewEvents, fewTraces)
	}
	if s.rawSize() > r.maxRaw() {
		return nil, errStateTooLarge
	}
	packed, err := s.encode()
	if len(packed) > r.maxState() && s.shed(fewEvents, fewTraces) {
		return s.encode()
	}
	return packed, err
}

// shed leaves the oldest events and traces behind, so that only so many stay,
// and tells whether there were any.
func (s *snapshot) shed(events, traces int) bool {
	j, r := &s.Journal, &s.Report
	oldEvents, oldTraces := max(0, len(j.Events)-events), max(0, len(r.Traces)-traces)
	j.Events, j.First = j.Events[oldEvents:], j.First+oldEvents
	r.Traces, r.OldTraces = r.Traces[oldTraces:], r.OldTraces+oldTraces
	return oldEvents+oldTraces > 0
}

// rawSize is about the size of the snapshot's JSON text.
func (s *snapshot) rawSize() int {
	const eachEvent, eachTrace = 250, 350
	size := eachEvent*len(s.Journal.Events) + eachTrace*len(s.Report.Traces)
	for _, texts := range [][]json.RawMessage{s.Items, s.Report.Output, s.Inbox.Steering, s.Inbox.FollowUps} {
		for _, text := range texts {
			size += len(text)
		}
	}
	for _, c := range s.Calls {
		size += len(c.Arguments) + eachEvent
		if c.Outcome != nil {
			size += len(c.Outcome.Output)
		}
	}
	return size + len(s.Request.RawTools) + tools.EncodedSize(s.Descriptors)
}
