package translate

import (
	"encoding/json"
	"strings"

	"errand/tools"
	"errand/tools/item"
)

// Encode turns a public conversation into the model's: custom calls become
// function calls, names become visible ones, and arguments that are not JSON
// become an empty object, since many servers refuse a conversation that has
// others, for ever. (The call's outcome shows the model what it had written.)
// Items that need no change go out byte for byte.
func (t *Translator) Encode(items []json.RawMessage) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(items))
	for i, raw := range items {
		if item.IsOwnOutput(raw) {
			out = append(out, raw)
			continue
		}
		out = append(out, t.encodeItem(raw, i)...)
	}
	return out
}

func (t *Translator) encodeItem(raw json.RawMessage, place int) []json.RawMessage {
	head, err := item.Peek(raw)
	if err != nil {
		return []json.RawMessage{raw}
	}
	id := tools.Identity{Namespace: head.Namespace, Name: head.Name}
	switch head.Type {
	case item.TypeFunctionCall:
		raw = t.encodeCall(raw, id)
	case item.TypeCustomCall:
		raw = t.encodeCustomCall(raw, id)
	case item.TypeCustomCallOutput:
		raw = encodeOutput(raw)
	case item.TypeListTools, item.TypeApprovalRequest, item.TypeApprovalResponse:
		return nil // these are between a run and its people
	case item.TypeMCPCall:
		return t.encodeServerCall(raw, head)
	case item.TypeWebSearchCall:
		return t.encodeSearch(raw, place)
	}
	return []json.RawMessage{raw}
}

func (t *Translator) encodeCall(raw json.RawMessage, id tools.Identity) json.RawMessage {
	fields, ok := tools.Object(raw)
	if !ok {
		return raw
	}
	changed := set(fields, "name", t.visible(id))
	if _, given := fields["namespace"]; given {
		delete(fields, "namespace")
		changed = true
	}
	if text := argumentsText(fields["arguments"]); !json.Valid([]byte(text)) {
		changed = set(fields, "arguments", "{}") || changed
	}
	if !changed {
		return raw
	}
	return join(fields, raw)
}

// encodeCustomCall wraps the free text of a custom call in the one parameter that
// the model was shown.
func (t *Translator) encodeCustomCall(raw json.RawMessage, id tools.Identity) json.RawMessage {
	fields, ok := tools.Object(raw)
	if !ok {
		return raw
	}
	var input string
	if json.Unmarshal(fields["input"], &input) != nil {
		input = string(fields["input"])
	}
	set(fields, "type", item.TypeFunctionCall)
	set(fields, "name", t.visible(id))
	set(fields, "arguments", WrapInput(input))
	renameID(fields, "ctc_", "fc_")
	delete(fields, "namespace")
	delete(fields, "input")
	return join(fields, raw)
}

func encodeOutput(raw json.RawMessage) json.RawMessage {
	fields, ok := tools.Object(raw)
	if !ok {
		return raw
	}
	set(fields, "type", item.TypeFunctionCallOutput)
	renameID(fields, "ctco_", "fco_")
	return join(fields, raw)
}

// renameID keeps an item id that follows the prefix of its type; servers check
// it. Any other id is left out.
func renameID(fields map[string]json.RawMessage, from, to string) {
	var id string
	if json.Unmarshal(fields["id"], &id) == nil && strings.HasPrefix(id, from) {
		set(fields, "id", to+strings.TrimPrefix(id, from))
		return
	}
	delete(fields, "id")
}

// WrapInput makes the arguments that stand for the text of a custom call.
func WrapInput(input string) string {
	text, err := json.Marshal(struct {
		Input string `json:"input"`
	}{input})
	if err != nil { // a string always encodes
		return "{}"
	}
	return string(text)
}

// UnwrapInput is the text of a custom call: the member input, a bare JSON
// string, or whatever the model wrote.
func UnwrapInput(arguments string) string {
	var body struct {
		Input *string `json:"input"`
	}
	if json.Unmarshal([]byte(arguments), &body) == nil && body.Input != nil {
		return *body.Input
	}
	var text string
	if json.Unmarshal([]byte(arguments), &text) == nil {
		return text
	}
	return arguments
}

// encode writes fields that were decoded from JSON.
func join(fields map[string]json.RawMessage, otherwise json.RawMessage) json.RawMessage {
	out, err := json.Marshal(fields)
	if err != nil {
		return otherwise
	}
	return out
}
