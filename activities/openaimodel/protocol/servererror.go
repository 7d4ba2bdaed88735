package protocol

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// ServerError is what a server reports under a status of success, or in the body
// of another. Any part may be empty.
type ServerError struct {
	Code, Type, Message string
	// IsPermanent says that the API itself rules another attempt out, whatever
	// the code.
	IsPermanent bool
	// Usage is what the failed answer has used; nil where the server did not say.
	Usage *item.Usage
}

func (e ServerError) Error() string { return e.Message }

// Name is the code, or the type where a server leaves the code null.
func (e ServerError) Name() string { return cmp.Or(e.Code, e.Type) }

// ReadErrorBody understands the bodies of OpenAI, vLLM old and new, FastAPI,
// Gemini (a list around the object) and plain {"error":"text"}. It is empty for
// anything else.
func ReadErrorBody(body []byte) ServerError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return ServerError{}
	}
	reported := ReadError(fields["error"])
	outer := errorFields(fields)
	if reported.Message == "" {
		reported.Message = outer.Message
	}
	if reported.Message == "" {
		reported.Message = readDetail(fields["detail"])
	}
	if reported.Name() == "" {
		reported.Code, reported.Type = outer.Code, outer.Type
	}
	return reported
}

// ReadError reads the value of an error field: an object or a text.
func ReadError(raw json.RawMessage) ServerError {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil {
		return errorFields(fields)
	}
	var text string
	_ = json.Unmarshal(raw, &text)
	return ServerError{Message: text}
}

func errorFields(fields map[string]json.RawMessage) ServerError {
	return ServerError{Code: rawjson.Text(fields["code"]), Type: rawjson.Text(fields["type"]), Message: rawjson.Text(fields["message"])}
}

// readDetail reads FastAPI's detail: a text, an object with a message, or a
// list of places and what is wrong there.
func readDetail(raw json.RawMessage) string {
	var places []struct {
		Loc []json.RawMessage `json:"loc"`
		Msg string            `json:"msg"`
	}
	if json.Unmarshal(raw, &places) != nil {
		return ReadError(raw).Message
	}
	var all []string
	for _, place := range places {
		var path []string
		for _, step := range place.Loc {
			path = append(path, rawjson.Text(step))
		}
		all = append(all, fmt.Sprintf("%s: %s", strings.Join(path, "."), place.Msg))
	}
	return strings.Join(all, "; ")
}

// ReportsError tells an error from the ways of saying that there is none.
func ReportsError(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", `""`, "false", "[]":
		return false
	}
	return true
}
