package openaimodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// doneMark ends a chat stream, and with some servers any stream. It is the
// kind of the event that it becomes.
const doneMark = "[DONE]"

var errNotJSON = errors.New("the stream has an event that is not JSON")

// event is one event of a stream.
type event struct {
	// kind is the type in the data. Servers that leave it out there name the
	// event before it.
	kind   string
	fields map[string]json.RawMessage
	data   []byte
}

// event reads what a frame holds. JSON that is no object says nothing to
// anybody, and no more does what was cut.
func (f frame) event() (event, error) {
	data := bytes.TrimSpace(f.data)
	if string(data) == doneMark {
		return event{kind: doneMark}, nil
	}
	e := event{kind: f.name, data: data}
	if json.Unmarshal(data, &e.fields) != nil {
		if f.cut || json.Valid(data) {
			return event{}, nil
		}
		return event{}, errNotJSON
	}
	if kind := scalar(e.fields["type"]); kind != "" {
		e.kind = kind
	}
	if told, failed := e.complaint(); failed {
		return event{}, told
	}
	return e, nil
}

// complaint is what an event says went wrong, in the shape of an error body,
// of an event of type error, or of a chunk with an error in it. A response's
// own failure is for its assembler.
func (e event) complaint() (complaint, bool) {
	flat := e.kind == "error" || scalar(e.fields["object"]) == "error"
	if strings.HasPrefix(e.kind, "response.") || !flat && !reportsError(e.fields["error"]) {
		return complaint{}, false
	}
	told := readComplaint(e.data)
	if told.kind == "error" {
		told.kind = "" // the event's type, not the error's
	}
	return told, true
}
