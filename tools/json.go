package tools

import (
	"encoding/json"
	"errors"
)

// MaxDepth bounds the nesting of JSON from outside.
const MaxDepth = 1000

// errDepth says so; encoding/json itself stops at 10,000 levels, after which
// nothing could be wrapped any more.
var errDepth = errors.New("nested more than 1,000 levels deep")

// Canonical is JSON as it travels: valid UTF-8, without white space between
// tokens, and with the escapes of encoding/json. Encoding it again changes
// nothing, so a digest of it means the same on both sides.
func Canonical(raw []byte) (json.RawMessage, error) {
	if depth(raw) > MaxDepth {
		return nil, errDepth
	}
	text, err := json.Marshal(json.RawMessage(Clean(string(raw))))
	if err != nil {
		return nil, err
	}
	return text, nil
}

// depth is the deepest nesting in JSON text.
func depth(raw []byte) int {
	deepest, now := 0, 0
	inString, escaped := false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			now++
			deepest = max(deepest, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return deepest
}

// EncodedSize is how many bytes a value takes as it travels: as JSON text,
// escapes included. What cannot be encoded counts 0. Raw JSON is not parsed but
// only looked through: what is not Canonical may be counted as more than it
// takes.
func EncodedSize(v any) int {
	if raw, ok := v.(json.RawMessage); ok && raw != nil {
		return rawSize(raw)
	}
	var n counter
	if err := json.NewEncoder(&n).Encode(v); err != nil {
		return 0
	}
	return int(n) - len("\n")
}

// ElementSize is what a value takes as JSON in a list, with its comma.
func ElementSize(v any) int { return EncodedSize(v) + 1 }

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// rawSize counts the characters of JSON text that are escaped on the way.
func rawSize(raw json.RawMessage) int {
	size := len(raw)
	for i, c := range raw {
		switch {
		case c == '<' || c == '>' || c == '&':
			size += len(`\u003c`) - 1
		case c == 0xE2 && i+2 < len(raw) && raw[i+1] == 0x80 && raw[i+2]&^1 == 0xA8: // U+2028 and U+2029
			size += len(`\u2028`) - 3
		}
	}
	return size
}

// Object reads raw as a JSON object, member by member.
func Object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, false
	}
	return fields, true
}
