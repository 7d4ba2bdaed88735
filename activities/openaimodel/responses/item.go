package responses

import (
	"encoding/json"
	"slices"
	"strconv"

	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// streamedItem is an output item that arrives in pieces.
type streamedItem struct {
	// index is the output_index.
	index    int
	id, kind string
	// added and done are the item as its first and last event gave it.
	added, done json.RawMessage
	name        string
	arguments   rawjson.StringBuilder
	parts       map[partIndex]*streamedPart
}

// find is the item of that kind that an event belongs to, or nil. The id goes
// first, for indexes are wrong more often; an event with neither belongs to the
// newest item that is not done. An index of -1 is none.
func (a *assembler) find(kind, id string, index int) *streamedItem {
	var sameID, open *streamedItem
	for _, one := range slices.Backward(a.items) {
		if one.kind != kind {
			continue
		}
		switch matches := id != "" && one.id == id; {
		case matches && (index < 0 || one.index == index):
			return one
		case matches && sameID == nil:
			sameID = one
		case one.done == nil && open == nil && (one.index == index || id == "" && index < 0):
			open = one
		}
	}
	if sameID != nil {
		return sameID
	}
	return open
}

// open adds an item. Without an index it goes behind the others.
func (a *assembler) open(kind, id string, index int) (*streamedItem, error) {
	if len(a.items) == protocol.MaxStreamedItems {
		return nil, protocol.ErrTooManyItems
	}
	if index < 0 {
		for _, one := range a.items {
			index = max(index, one.index)
		}
		index++
	}
	opened := &streamedItem{index: index, id: id, kind: kind, parts: map[partIndex]*streamedPart{}}
	a.items = append(a.items, opened)
	return opened, nil
}

// findOrOpen is the item that an event is about. One that was never announced is
// opened by its first piece.
func (a *assembler) findOrOpen(kind string, e protocol.Event) (*streamedItem, error) {
	id, index := rawjson.Text(e.Fields["item_id"]), readIndex(e.Fields["output_index"])
	if found := a.find(kind, id, index); found != nil {
		return found, nil
	}
	return a.open(kind, id, index)
}

// addItem reads an item's first or last event.
func (a *assembler) addItem(isDone bool, e protocol.Event) error {
	head := rawjson.Fields(e.Fields["item"])
	kind, id, index := rawjson.Text(head["type"]), rawjson.Text(head["id"]), readIndex(e.Fields["output_index"])
	if kind == "" && rawjson.Text(head["role"]) != "" {
		kind = item.TypeMessage
	}
	if kind == "" {
		return nil
	}
	found := a.find(kind, id, index)
	if found == nil || !found.accepts(isDone, id, index) {
		var err error
		if found, err = a.open(kind, id, index); err != nil {
			return err
		}
	}
	found.id = id
	if isDone {
		found.done = e.Fields["item"]
	} else {
		found.added = e.Fields["item"]
	}
	return nil
}

// accepts tells whether the first or last event of an item is about this one.
// Id and index may change in between, but an event of the same kind is a
// repeat only if neither has.
func (s *streamedItem) accepts(isDone bool, id string, index int) bool {
	switch {
	case s.added == nil && s.done == nil: // its pieces have opened it
		return true
	case s.id == id && (s.index == index || id != "" && index < 0):
		return true
	}
	return isDone && s.done == nil
}

// encode is the item as its last event gave it, or else put together from its
// pieces.
func (s *streamedItem) encode(status string) json.RawMessage {
	if s.done != nil {
		return s.done
	}
	written, _ := rawjson.ParseObject(s.added)
	written.SetDefault("type", rawjson.Encode(s.kind))
	switch s.kind {
	case item.TypeFunctionCall:
		written.SetDefault("name", rawjson.Encode(s.name))
		if !s.arguments.IsEmpty() {
			written.Set("arguments", s.arguments.Encode())
		}
		written.Set("arguments", rawjson.Encode(protocol.ArgumentText(written.Get("arguments"))))
	case item.TypeMessage:
		written.SetDefault("role", rawjson.Encode("assistant"))
		s.setParts(&written, listContent)
	case item.TypeReasoning:
		s.setParts(&written, listSummary)
		s.setParts(&written, listContent)
	}
	written.Set("status", rawjson.Encode(status))
	return written.Encode()
}

// readIndex is a number from 0 on, or -1.
func readIndex(raw json.RawMessage) int {
	n, err := strconv.Atoi(rawjson.Text(raw))
	if err != nil || n < 0 {
		return -1
	}
	return n
}
