package activities

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.temporal.io/sdk/temporal"

	"errand/tools"
	"errand/tools/item"
)

const (
	// maxCallID is the longest call id that is kept; a longer one is replaced.
	maxCallID = 200
	// maxName is the longest tool name that is kept. No tool has such a name;
	// the rest of it would only burden events and traces.
	maxName = 200
)

// checked repairs what models get wrong about the form of an answer, so that
// the workflow sees sane data: missing and repeated ids, blank arguments,
// calls that are not JSON, text that is not UTF-8.
func checked(answer ModelAnswer, at *border, round int) (InferResult, error) {
	r := InferResult{Stop: answer.Stop, Usage: answer.Usage, Items: []json.RawMessage{}}
	r.Model, _ = tools.Cut(answer.Model, maxName)
	if r.Stop == StopCompleted {
		r.Stop = ""
	}
	c := checker{border: at, round: round, ids: map[string]bool{}}
	size := 0
	for _, raw := range c.textCalls(answer.Items) {
		it, keep := c.item(raw)
		if !keep {
			continue
		}
		// The workflow gets it as it travels; so must this worker keep it.
		it, err := tools.Canonical(it)
		if err != nil {
			c.note("an item was left out: " + err.Error())
			continue
		}
		r.Items = append(r.Items, it)
		size += len(it)
	}
	r.Notes = c.notes
	if size > maxAnswer {
		return InferResult{}, temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("the model's answer has %d bytes, at most %d are taken: lower max_output_tokens", size, maxAnswer),
			TypeLimitExceeded, nil)
	}
	return r, nil
}

type checker struct {
	border *border
	round  int
	calls  int
	ids    map[string]bool
	notes  []string
}

func (c *checker) item(raw json.RawMessage) (json.RawMessage, bool) {
	head, err := item.Peek(raw)
	if err != nil || head.Type == "" {
		c.note("an item without a type was left out")
		return nil, false
	}
	if head.Type == item.TypeFunctionCall {
		return c.call(raw), true
	}
	return raw, true
}

// call normalises a function_call; it keeps fields that it does not know.
func (c *checker) call(raw json.RawMessage) json.RawMessage {
	fields, _ := tools.Object(raw)
	var head item.Head
	_ = json.Unmarshal(raw, &head) // Peek has read it before
	index := c.calls
	c.calls++

	id := head.CallID
	switch {
	case strings.TrimSpace(id) == "" || len(id) > maxCallID:
		id = c.freshID(index)
		c.note(fmt.Sprintf("call %d of round %d came without a usable id: it is now %s", index, c.round, id))
	case c.ids[id]:
		id = c.freshID(index)
		c.note(fmt.Sprintf("call %d of round %d repeated the id %s: it is now %s", index, c.round, head.CallID, id))
	}
	c.ids[id] = true
	changed := set(fields, "call_id", id)
	tool := c.tool(head.Name)
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
		return encode(fields, raw)
	}
	changed = set(fields, "arguments", arguments) || changed
	if !changed {
		return raw
	}
	return encode(fields, raw)
}

func (c *checker) tool(visible string) Name {
	if len(visible) > maxName {
		c.note("a call to a name of " + strconv.Itoa(len(visible)) + " bytes was cut")
		visible = strings.ToValidUTF8(visible[:maxName], "")
	}
	return c.border.public(visible)
}

// freshID makes an id from the call's place that no other call of the answer
// has had so far.
func (c *checker) freshID(index int) string {
	id := fmt.Sprintf("call_%d_%d", c.round, index)
	for c.ids[id] {
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

// maxNotes bounds the notes of one answer.
const maxNotes = 50

func (c *checker) note(text string) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, text)
	}
}
