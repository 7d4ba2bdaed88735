package openaimodel

import (
	"bytes"
	"encoding/json"
)

// joined is a JSON string that arrives in pieces. They are joined as they are
// written, escapes and all: servers part a text inside of a character, between
// the halves of a surrogate pair or the bytes of UTF-8, and each piece for
// itself would lose it.
type joined struct {
	written []byte
}

// add appends a piece. A number is taken for its text, anything else but a
// string for nothing.
func (j *joined) add(piece json.RawMessage) {
	if absent(piece) {
		return
	}
	if !isString(piece) {
		piece = encode(scalar(piece))
	}
	j.written = append(j.written, piece[1:len(piece)-1]...)
}

// addArguments appends a piece of a call's arguments, which some servers send
// as the object that it should be the text of.
func (j *joined) addArguments(piece json.RawMessage) {
	var compact bytes.Buffer
	if !absent(piece) && !isString(piece) && json.Compact(&compact, piece) == nil {
		piece = encode(compact.String())
	}
	j.add(piece)
}

// set replaces all pieces by a whole text, if that is one.
func (j *joined) set(text json.RawMessage) {
	if isString(text) {
		j.written = nil
		j.add(text)
	}
}

func (j *joined) empty() bool { return len(j.written) == 0 }

// raw is the whole string as JSON.
func (j *joined) raw() json.RawMessage {
	return append(append([]byte{'"'}, j.written...), '"')
}

func (j *joined) text() string { return scalar(j.raw()) }

// isString looks at a valid JSON value without space around it, which is what
// encoding/json puts into a RawMessage.
func isString(raw json.RawMessage) bool { return len(raw) >= 2 && raw[0] == '"' }
