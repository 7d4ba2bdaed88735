package translate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"errand/tools"
	"errand/tools/item"
)

const (
	// MaxName is the longest name of a tool or model that is kept. No tool has
	// such a name; the rest of it would only burden events and traces.
	MaxName = 200
	// maxCallID is the longest call id that is kept; a longer one is replaced.
	maxCallID = 200
	// maxNotes bounds the notes of one answer.
	maxNotes = 50
)

// Decode turns the items of a model's answer into those of the conversation. It
// repairs what models get wrong about their form, so that the workflow sees sane
// data: missing and repeated ids, blank arguments, calls that are not JSON, text
// that is not UTF-8. The notes say what was repaired.
func (t *Translator) Decode(answer []json.RawMessage, round int) (items []json.RawMessage, notes []string) {
	d := decoder{names: t, round: round, ids: map[string]bool{}}
	items = []json.RawMessage{}
	for _, raw := range d.textCalls(answer) {
		it, keep := d.item(raw)
		if !keep {
			continue
		}
		// The workflow gets it as it travels; so must this worker keep it.
		it, err := tools.Canonical(it)
		if err != nil {
			d.note("an item was left out: " + err.Error())
			continue
		}
		items = append(items, it)
	}
	return items, d.notes
}

type decoder struct {
	names *Translator
	round int
	calls int
	ids   map[string]bool
	notes []string
}

func (d *decoder) item(raw json.RawMessage) (json.RawMessage, bool) {
	head, err := item.Peek(raw)
	if err != nil || head.Type == "" {
		d.note("an item without a type was left out")
		return nil, false
	}
	if head.Type == item.TypeFunctionCall {
		return d.call(raw), true
	}
	return raw, true
}

// call normalises a function_call; it keeps fields that it does not know.
func (d *decoder) call(raw json.RawMessage) json.RawMessage {
	fields, _ := tools.Object(raw)
	var head item.Head
	_ = json.Unmarshal(raw, &head) // Peek has read it before
	index := d.calls
	d.calls++

	id := head.CallID
	switch {
	case strings.TrimSpace(id) == "" || len(id) > maxCallID:
		id = d.freshID(index)
		d.note(fmt.Sprintf("call %d of round %d came without a usable id: it is now %s", index, d.round, id))
	case d.ids[id]:
		id = d.freshID(index)
		d.note(fmt.Sprintf("call %d of round %d repeated the id %s: it is now %s", index, d.round, head.CallID, id))
	}
	d.ids[id] = true
	changed := set(fields, "call_id", id)
	tool := d.tool(head.Name)
	arguments := argumentsText(fields["arguments"])
	changed = set(fields, "name", tool.Name) || changed
	if tool.Namespace != "" {
		changed = set(fields, "namespace", tool.Namespace) || changed
	}
	if tool.Type == tools.TypeCustom {
		set(fields, "type", item.TypeCustomCall)
		set(fields, "input", UnwrapInput(arguments))
		delete(fields, "arguments")
		renameID(fields, "fc_", "ctc_")
		return join(fields, raw)
	}
	changed = set(fields, "arguments", arguments) || changed
	if !changed {
		return raw
	}
	return join(fields, raw)
}

func (d *decoder) tool(visible string) Name {
	if len(visible) > MaxName {
		d.note("a call to a name of " + strconv.Itoa(len(visible)) + " bytes was cut")
		visible = strings.ToValidUTF8(visible[:MaxName], "")
	}
	return d.names.public(visible)
}

// freshID makes an id from the call's place that no other call of the answer
// has had so far.
func (d *decoder) freshID(index int) string {
	id := fmt.Sprintf("call_%d_%d", d.round, index)
	for d.ids[id] {
		id += "x"
	}
	return id
}

// argumentsText is the arguments as the text that the wire wants: an object
// becomes its JSON, a blank becomes {}.
func argumentsText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed == "null" {
		return "{}"
	}
	return tools.Clean(text)
}

// set makes a member the string value, and tells whether it was anything else.
func set(fields map[string]json.RawMessage, name, value string) (changed bool) {
	var now *string
	if json.Unmarshal(fields[name], &now) == nil && now != nil && *now == value {
		return false
	}
	raw, err := json.Marshal(value)
	if err != nil { // strings always encode
		return false
	}
	fields[name] = raw
	return true
}

func (d *decoder) note(text string) {
	if len(d.notes) < maxNotes {
		d.notes = append(d.notes, text)
	}
}
