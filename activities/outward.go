package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// outward turns public names into the model's own, and arguments that are not
// JSON into an empty object: many servers refuse a conversation that has others,
// for ever. The call's outcome shows the model what it had written. Items that
// need no change go out byte for byte.
func (s Surface) outward(items []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, len(items))
	for i, raw := range items {
		out[i] = raw
		if head, err := item.Peek(raw); err == nil && head.Type == item.TypeFunctionCall {
			out[i] = s.outwardCall(raw, head.Name)
		}
	}
	return out
}

func (s Surface) outwardCall(raw json.RawMessage, name string) json.RawMessage {
	fields, ok := tools.Object(raw)
	if !ok {
		return raw
	}
	changed := set(fields, "name", s.visible(name))
	if text := argumentsText(fields["arguments"]); !json.Valid([]byte(text)) {
		changed = set(fields, "arguments", "{}") || changed
	}
	if !changed {
		return raw
	}
	return encode(fields, raw)
}

// encode writes fields that were decoded from JSON.
func encode(fields map[string]json.RawMessage, otherwise json.RawMessage) json.RawMessage {
	out, err := json.Marshal(fields)
	if err != nil {
		return otherwise
	}
	return out
}

// outwardChoice does the same for a tool_choice. A platform tool is a function
// to the model.
func (s Surface) outwardChoice(raw json.RawMessage) json.RawMessage {
	fields, ok := tools.Object(raw)
	if !ok {
		return raw
	}
	var members []json.RawMessage
	if json.Unmarshal(fields["tools"], &members) == nil && members != nil {
		for i, m := range members {
			members[i] = s.outwardChoice(m)
		}
		if all, err := json.Marshal(members); err == nil {
			fields["tools"] = all
		}
	}
	var name, kind string
	if json.Unmarshal(fields["name"], &name) == nil && name != "" {
		set(fields, "name", s.visible(name))
	}
	if json.Unmarshal(fields["type"], &kind) == nil && kind == tools.TypePlatform {
		set(fields, "type", tools.TypeFunction)
	}
	return encode(fields, raw)
}
