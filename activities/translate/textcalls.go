package translate

import (
	"encoding/json"
	"slices"

	"errand/tools"
	"errand/tools/item"
	"errand/tools/textcall"
)

// textCalls makes function_call items of the calls that a model wrote as text,
// where the run asks for that and the answer has no real calls. They follow
// the message that held them; of the message the other text stays.
func (d *decoder) textCalls(items []json.RawMessage) []json.RawMessage {
	if !d.names.TextCalls || slices.ContainsFunc(items, isCall) {
		return items
	}
	var out []json.RawMessage
	count := 0
	for _, raw := range items {
		message, calls := takeCalls(raw)
		if message != nil {
			out = append(out, message)
		}
		for _, call := range calls {
			if call.ID == "" { // as text has it, so that is no repair to note
				call.ID = d.freshID(count)
			}
			out = append(out, item.FunctionCall(call.ID, call.Name, call.Arguments))
			count++
		}
	}
	return out
}

func isCall(raw json.RawMessage) bool {
	head, err := item.Peek(raw)
	return err == nil && item.IsCall(head.Type)
}

// takeCalls parts a message and the calls in its text. The message is nil if
// nothing is left of it.
func takeCalls(raw json.RawMessage) (json.RawMessage, []textcall.Call) {
	calls, rest := textcall.Parse(item.Text(raw))
	fields, ok := tools.Object(raw)
	if calls == nil || !ok {
		return raw, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(fields["content"], &parts) != nil { // the content is the text
		set(fields, "content", rest)
		if rest == "" {
			return nil, calls
		}
		return join(fields, raw), calls
	}
	if parts = withText(parts, rest); len(parts) == 0 {
		return nil, calls
	}
	fields["content"], _ = json.Marshal(parts) // decoded before, so they encode
	return join(fields, raw), calls
}

// withText puts one text in place of all parts that are text; the others, such
// as a refusal, stay.
func withText(parts []json.RawMessage, text string) []json.RawMessage {
	var kept []json.RawMessage
	for _, part := range parts {
		head, err := item.Peek(part)
		switch {
		case err != nil || !slices.Contains(textParts, head.Type):
			kept = append(kept, part)
		case text != "":
			kept = append(kept, partWith(part, text))
			text = ""
		}
	}
	return kept
}

// textParts are the types of parts that item.Text reads.
var textParts = []string{"output_text", "input_text", "text"}

// partWith is a part of other text, without what refers to places in the old.
func partWith(part json.RawMessage, text string) json.RawMessage {
	fields, _ := tools.Object(part) // Peek has read it before
	set(fields, "text", text)
	delete(fields, "logprobs")
	if _, given := fields["annotations"]; given {
		fields["annotations"] = json.RawMessage("[]")
	}
	return join(fields, part)
}
