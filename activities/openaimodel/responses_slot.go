package openaimodel

import (
	"encoding/json"
	"slices"
	"strconv"

	"errand/tools/item"
)

// slot is an output item that arrives in pieces.
type slot struct {
	place    int
	id, kind string
	// added and done are the item as its first and last event gave it.
	added, done json.RawMessage
	name        string
	arguments   joined
	parts       map[partAt]*streamedPart
}

// slotOf is the slot of that kind that an event belongs to, or nil. The id
// goes first, for places are miscounted more often; an event with neither
// belongs to the newest item that is not done.
func (s *responsesStream) slotOf(kind, id string, place int) *slot {
	var sameID, open *slot
	for _, one := range slices.Backward(s.slots) {
		if one.kind != kind {
			continue
		}
		switch matches := id != "" && one.id == id; {
		case matches && (place < 0 || one.place == place):
			return one
		case matches && sameID == nil:
			sameID = one
		case one.done == nil && open == nil && (one.place == place || id == "" && place < 0):
			open = one
		}
	}
	if sameID != nil {
		return sameID
	}
	return open
}

// open adds a slot. Without a place it goes behind the others.
func (s *responsesStream) open(kind, id string, place int) (*slot, error) {
	if len(s.slots) == maxPieces {
		return nil, errTooMany
	}
	if place < 0 {
		for _, one := range s.slots {
			place = max(place, one.place)
		}
		place++
	}
	opened := &slot{place: place, id: id, kind: kind, parts: map[partAt]*streamedPart{}}
	s.slots = append(s.slots, opened)
	return opened, nil
}

// item takes an item's first or last event.
func (s *responsesStream) item(done bool, e event) error {
	head := readFields(e.fields["item"])
	kind, id, place := scalar(head["type"]), scalar(head["id"]), index(e.fields["output_index"])
	if kind == "" && scalar(head["role"]) != "" {
		kind = item.TypeMessage
	}
	if kind == "" {
		return nil
	}
	found := s.slotOf(kind, id, place)
	if found != nil && !found.takes(done, id, place) {
		found = nil
	}
	if found == nil {
		var err error
		if found, err = s.open(kind, id, place); err != nil {
			return err
		}
	}
	found.id = id
	if done {
		found.done = e.fields["item"]
	} else {
		found.added = e.fields["item"]
	}
	return nil
}

// takes tells whether the first or last event of an item is about this one.
// Id and place may change in between, but an event of the same kind is a
// repeat only if neither has.
func (s *slot) takes(done bool, id string, place int) bool {
	switch {
	case s.added == nil && s.done == nil: // its pieces have opened it
		return true
	case s.id == id && (s.place == place || id != "" && place < 0):
		return true
	}
	return done && s.done == nil
}

// index is a number from 0 on, or -1.
func index(raw json.RawMessage) int {
	n, err := strconv.Atoi(scalar(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}
