package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"errand/activities/openaimodel/rawjson"
	"errand/activities/openaimodel/sse"
)

// DoneMark ends a chat stream, and with some servers any stream. It is the kind
// of the event that it becomes.
const DoneMark = "[DONE]"

var errNotJSON = errors.New("the stream has an event that is not JSON")

// Event is one event of a streamed answer.
type Event struct {
	// Kind is the type in the data. Servers that leave it out there name the
	// event before it.
	Kind string
	// Fields are the members of the data, if that is an object.
	Fields map[string]json.RawMessage
}

// ReadEvent reads what a server sent. JSON that is no object says nothing to
// anybody, and no more does what was cut. An event that reports an error becomes
// a ServerError.
func ReadEvent(sent sse.Event) (Event, error) {
	data := bytes.TrimSpace(sent.Data)
	if string(data) == DoneMark {
		return Event{Kind: DoneMark}, nil
	}
	e := Event{Kind: sent.Name}
	if json.Unmarshal(data, &e.Fields) != nil {
		if sent.Cut || json.Valid(data) {
			return Event{}, nil
		}
		return Event{}, errNotJSON
	}
	if kind := rawjson.Text(e.Fields["type"]); kind != "" {
		e.Kind = kind
	}
	if e.isError() {
		reported := ReadErrorBody(data)
		if reported.Type == "error" {
			reported.Type = "" // the event's type, not the error's
		}
		return Event{}, reported
	}
	return e, nil
}

// isError knows the shape of an error body, an event of type error, and a chunk
// with an error in it. A response's own failure is for its assembler.
func (e Event) isError() bool {
	if strings.HasPrefix(e.Kind, "response.") {
		return false
	}
	return e.Kind == "error" || rawjson.Text(e.Fields["object"]) == "error" || ReportsError(e.Fields["error"])
}
