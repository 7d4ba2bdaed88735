package chat

import (
	"encoding/json"
	"errors"
	"slices"

	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// toolCall is a call in an answer, or a piece of one in a chunk.
type toolCall struct {
	Index    json.RawMessage `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function function        `json:"function"`
}

// function is what a call consists of in the legacy form.
type function struct {
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callItems reads the calls of a message, the legacy single one included. Ids
// and names that are missing stay empty; the caller repairs them.
func callItems(message map[string]json.RawMessage) ([]json.RawMessage, error) {
	unreadable := errors.New("the answer's tool_calls are not a list of objects")
	var calls []*toolCall
	if raw := message["tool_calls"]; !rawjson.IsNull(raw) && json.Unmarshal(raw, &calls) != nil {
		return nil, unreadable
	}
	var items []json.RawMessage
	for _, call := range calls {
		if call != nil {
			items = append(items, callItem(rawjson.Text(call.ID), rawjson.Text(call.Function.Name), call.Function.Arguments))
		}
	}
	var legacy *function
	if raw := message["function_call"]; len(items) == 0 && !rawjson.IsNull(raw) {
		if json.Unmarshal(raw, &legacy) != nil {
			return nil, unreadable
		}
		items = append(items, callItem("", rawjson.Text(legacy.Name), legacy.Arguments))
	}
	return items, nil
}

func callItem(id, name string, arguments json.RawMessage) json.RawMessage {
	return rawjson.Encode(struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Status    string `json:"status"`
	}{item.TypeFunctionCall, id, name, protocol.ArgumentText(arguments), completed})
}

// streamedCall is a call that arrives in pieces. What has not come is empty.
type streamedCall struct {
	index, id, name string
	arguments       rawjson.StringBuilder
}

// add takes what a piece brings. Id and name count once: some servers repeat
// them in every piece.
func (c *streamedCall) add(id string, piece function) {
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = rawjson.Text(piece.Name)
	}
	protocol.AddArguments(&c.arguments, piece.Arguments)
}

func (c *streamedCall) item() json.RawMessage {
	return callItem(c.id, c.name, c.arguments.Encode())
}

// streamedCalls are the calls of an answer in the order of their first pieces.
type streamedCalls []*streamedCall

// add adds a piece to its call, which may be a new one.
func (all *streamedCalls) add(piece toolCall) error {
	index, id := rawjson.Text(piece.Index), rawjson.Text(piece.ID)
	var call *streamedCall
	if index == "" {
		call = all.withoutIndex(id, rawjson.Text(piece.Function.Name))
	} else {
		call = all.at(index, id)
	}
	if call == nil {
		if len(*all) == protocol.MaxStreamedItems {
			return protocol.ErrTooManyItems
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

// withoutIndex is the call that a piece without an index belongs to, or nil for
// a new one: an id or a name begins a call, unless the id is known.
func (all *streamedCalls) withoutIndex(id, name string) *streamedCall {
	for _, call := range slices.Backward(*all) {
		if id == "" && name == "" || id != "" && call.id == id {
			return call
		}
	}
	return nil
}
