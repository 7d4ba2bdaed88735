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
// The id may change in between, but an item that was announced is not
// announced again under another id or under none.
func (s *slot) takes(done bool, id string, place int) bool {
	known := id != "" || place >= 0
	return s.added == nil && s.done == nil || s.id == id && known || done && s.done == nil
}

// index is a number from 0 on, or -1.
func index(raw json.RawMessage) int {
	n, err := strconv.Atoi(scalar(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// item is the item as its last event gave it, or else put together from its
// pieces.
func (s *slot) item(status string) json.RawMessage {
	if s.done != nil {
		return s.done
	}
	all, _ := members(s.added)
	all = filled(all, "type", encode(s.kind))
	switch s.kind {
	case item.TypeFunctionCall:
		all = filled(all, "name", encode(s.name))
		if !s.arguments.empty() {
			all = replaced(all, "arguments", s.arguments.raw())
		}
		all = replaced(all, "arguments", encode(argumentText(valueOf(all, "arguments"))))
	case item.TypeMessage:
		all = filled(all, "role", encode("assistant"))
		all = s.withParts(all, listContent)
	case item.TypeReasoning:
		all = s.withParts(s.withParts(all, listSummary), listContent)
	}
	all = replaced(all, "status", encode(status))
	var written object
	for _, m := range all {
		written.raw(m.key, m.value)
	}
	return written.bytes()
}

func valueOf(all []member, key string) json.RawMessage {
	for _, m := range all {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// replaced gives a member a value, in its old place if it has one.
func replaced(all []member, key string, value json.RawMessage) []member {
	for i := range all {
		if all[i].key == key {
			all[i].value = value
			return all
		}
	}
	return append(all, member{key, value})
}

// filled gives a member a value unless it has one.
func filled(all []member, key string, value json.RawMessage) []member {
	if given := valueOf(all, key); !absent(given) && string(given) != `""` {
		return all
	}
	return replaced(all, key, value)
}
