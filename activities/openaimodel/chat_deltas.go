package openaimodel

import (
	"encoding/json"
	"slices"
)

// callDelta is a piece of a call in a chunk.
type callDelta struct {
	Index    json.RawMessage `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function functionDelta   `json:"function"`
}

// functionDelta is the part of a call that the legacy form consists of.
type functionDelta struct {
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// streamedCall is a call that arrives in pieces. What has not come is empty.
type streamedCall struct {
	index, id, name string
	arguments       joined
}

// add takes what a piece brings. Id and name count once: some servers repeat
// them in every piece.
func (c *streamedCall) add(id string, piece functionDelta) {
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = scalar(piece.Name)
	}
	c.arguments.addArguments(piece.Arguments)
}

func (c *streamedCall) item() json.RawMessage {
	return callItem(c.id, c.name, c.arguments.raw())
}

// streamedCalls are the calls of an answer in the order of their first pieces.
type streamedCalls []*streamedCall

// take adds a piece to its call, which may be a new one.
func (all *streamedCalls) take(piece callDelta) error {
	index, id := scalar(piece.Index), scalar(piece.ID)
	var call *streamedCall
	if index == "" {
		call = all.unplaced(id, scalar(piece.Function.Name))
	} else {
		call = all.at(index, id)
	}
	if call == nil {
		if len(*all) == maxPieces {
			return errTooMany
		}
		call = &streamedCall{index: index}
		*all = append(*all, call)
	}
	call.add(id, piece.Function)
	return nil
}

// at is the call that a piece with an index belongs to, or nil for a new one.
// Some servers give all calls the same index; a new id tells them apart then.
func (all *streamedCalls) at(index, id string) *streamedCall {
	var newest *streamedCall
	for _, call := range slices.Backward(*all) {
		if call.index != index {
			continue
		}
		if id == "" || call.id == id {
			return call
		}
		if newest == nil {
			newest = call
		}
	}
	if newest != nil && newest.id == "" {
		return newest // whose id comes late
	}
	return nil
}

// unplaced is the call that a piece without an index belongs to, or nil for a
// new one: an id or a name begins a call, unless the id is known.
func (all *streamedCalls) unplaced(id, name string) *streamedCall {
	for _, call := range slices.Backward(*all) {
		if id == "" && name == "" || id != "" && call.id == id {
			return call
		}
	}
	return nil
}
