package contract

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
)

// checkItems checks the input items: each an object with a type (a message may
// leave it out), every call answered and every output after its call.
func checkItems(items []json.RawMessage, faults *tools.Faults) {
	open := map[string]string{} // call id → type of its call
	at := map[string]int{}
	var order []string
	for i, raw := range items {
		path := fmt.Sprintf("input[%d]", i)
		if _, ok := tools.Object(raw); !ok {
			faults.Add(path, "must be an item object")
			continue
		}
		if len(raw) > MaxItemSize {
			faults.Add(path, fmt.Sprintf("has %d bytes as JSON, at most %d are taken: split it", len(raw), MaxItemSize))
		}
		head, err := item.Peek(raw)
		switch {
		case err != nil:
			faults.Add(path, "type, id, role, call_id and name must be strings")
		case head.Type == "":
			faults.Add(path+".type", `required (a message may leave it out if it has a role)`)
		case head.Type == item.TypeMessage:
			checkMessage(path, head, raw, faults)
		case item.IsCall(head.Type):
			checkCall(path, head, open, faults)
			open[head.CallID], at[head.CallID] = head.Type, i
			order = append(order, head.CallID)
		case head.Type == item.TypeFunctionCallOutput || head.Type == item.TypeCustomCallOutput:
			checkOutput(path, head, open, faults)
			delete(open, head.CallID)
		}
	}
	for _, id := range order {
		if kind, still := open[id]; still && id != "" {
			faults.Add(fmt.Sprintf("input[%d]", at[id]), fmt.Sprintf("%s %q has no output: add its %s after it",
				kind, id, item.OutputFor(kind)))
			delete(open, id)
		}
	}
}

func checkMessage(path string, head item.Head, raw json.RawMessage, faults *tools.Faults) {
	switch head.Role {
	case "user", "assistant", "system", "developer":
	case "":
		faults.Add(path+".role", "required: user, assistant, system or developer")
	default:
		faults.Add(path+".role", fmt.Sprintf("%q is not a role: user, assistant, system or developer", head.Role))
	}
	fields, _ := tools.Object(raw)
	content := fields["content"]
	if !IsContent(content) {
		faults.Add(path+".content", "required: text, or an array of content parts")
		return
	}
	var parts []item.Head
	_ = json.Unmarshal(content, &parts) // text has no parts
	for i, part := range parts {
		if item.IsCall(part.Type) || part.Type == item.TypeFunctionCallOutput || part.Type == item.TypeCustomCallOutput {
			faults.Add(fmt.Sprintf("%s.content[%d]", path, i), part.Type+" cannot be inside a message: make it an item of its own")
		}
	}
}

func checkCall(path string, head item.Head, open map[string]string, faults *tools.Faults) {
	if head.CallID == "" {
		faults.Add(path+".call_id", "required: a non-empty string")
	} else if _, twice := open[head.CallID]; twice {
		faults.Add(path+".call_id", fmt.Sprintf("%q is already the id of a call without an output", head.CallID))
	}
	if head.Name == "" {
		faults.Add(path+".name", "required: a non-empty string")
	}
}

func checkOutput(path string, head item.Head, open map[string]string, faults *tools.Faults) {
	kind, pending := open[head.CallID]
	switch {
	case head.CallID == "":
		faults.Add(path+".call_id", "required: a non-empty string")
	case !pending:
		faults.Add(path+".call_id", fmt.Sprintf("%q answers no call before it", head.CallID))
	case item.OutputFor(kind) != head.Type:
		faults.Add(path+".type", fmt.Sprintf("%q answers a %s: write %s", head.CallID, kind, item.OutputFor(kind)))
	}
}

// IsContent tells whether raw can be the content of a message.
func IsContent(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return string(raw) != "null"
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return false
	}
	for _, part := range parts {
		if _, ok := tools.Object(part); !ok {
			return false
		}
	}
	return len(parts) > 0
}
