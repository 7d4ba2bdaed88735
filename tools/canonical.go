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
