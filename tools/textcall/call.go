package textcall

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The members of a call by the names that models give them; the first that is
// there counts.
var (
	idNames       = []string{"id", "call_id", "tool_call_id"}
	nameNames     = []string{"name", "tool_name"}
	argumentNames = []string{"arguments", "args", "parameters"}
)

// fields are the members of an object that may be a call.
type fields map[string]json.RawMessage

// newCall reads a JSON object as a call.
func newCall(data []byte) (Call, bool) {
	var f fields
	if json.Unmarshal(data, &f) != nil {
		return Call{}, false
	}
	return f.call()
}

// bare reads a text that is one JSON object, perhaps in a fence, as a call.
// Many an answer in JSON has a name; only one with arguments, too, is a call.
func bare(data []byte) (Call, bool) {
	data = unfence(bytes.TrimSpace(data))
	if len(data) == 0 || data[0] != '{' {
		return Call{}, false
	}
	text, ok := object(data, 0)
	var f fields
	if !ok || json.Unmarshal(text, &f) != nil {
		return Call{}, false
	}
	if _, given := f.find(argumentNames); !given {
		return Call{}, false
	}
	return f.call()
}

// call is what the members say. Without arguments they are {}.
func (f fields) call() (Call, bool) {
	c := Call{ID: f.text(idNames), Name: f.text(nameNames), Arguments: "{}"}
	raw, given := f.find(argumentNames)
	if given {
		var ok bool
		if c.Arguments, ok = arguments(raw); !ok {
			return Call{}, false
		}
	}
	return c, c.Name != ""
}

// find is the first member of these names, here or in the object function,
// where OpenAI puts name and arguments.
func (f fields) find(names []string) (json.RawMessage, bool) {
	var inner fields
	_ = json.Unmarshal(f["function"], &inner) // anything else has no members
	for _, level := range []fields{f, inner} {
		for _, name := range names {
			if raw, given := level[name]; given && string(raw) != "null" {
				return raw, true
			}
		}
	}
	return nil, false
}

// text is a member that is a string, without the space around it, else "".
func (f fields) text(names []string) string {
	raw, _ := f.find(names)
	var text string
	_ = json.Unmarshal(raw, &text) // anything else is no text
	return strings.TrimSpace(text)
}

// arguments are the text of an object, or of one that a string holds. A blank
// string holds nothing and means {}.
func arguments(raw json.RawMessage) (string, bool) {
	if raw[0] == '{' {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), true
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	if strings.TrimSpace(text) == "" {
		return "{}", true
	}
	held, ok := object([]byte(text), maxWraps)
	return string(held), ok
}
