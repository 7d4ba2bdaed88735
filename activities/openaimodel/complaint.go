package openaimodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// maxExcerptRunes is how much of a body that nobody understands is shown.
const maxExcerptRunes = 200

// complaint is what a server says went wrong. Any part may be empty.
type complaint struct {
	code, kind, message string
}

// Error makes a complaint an error where it ends the reading of a stream.
func (c complaint) Error() string { return c.message }

// name is the code, or the type where a server leaves the code null.
func (c complaint) name() string {
	if c.code != "" {
		return c.code
	}
	return c.kind
}

// readComplaint understands the bodies of OpenAI, vLLM old and new, FastAPI,
// Gemini (a list around the object) and plain {"error":"text"}. It is empty for
// anything else.
func readComplaint(body []byte) complaint {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return complaint{}
	}
	told := readError(fields["error"])
	outer := errorFields(fields)
	if told.message == "" {
		told.message = outer.message
	}
	if told.message == "" {
		told.message = readDetail(fields["detail"])
	}
	if told.name() == "" {
		told.code, told.kind = outer.code, outer.kind
	}
	return told
}

// readError reads the value of an error field: an object or a text.
func readError(raw json.RawMessage) complaint {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil {
		return errorFields(fields)
	}
	var text string
	_ = json.Unmarshal(raw, &text)
	return complaint{message: text}
}

func errorFields(fields map[string]json.RawMessage) complaint {
	return complaint{code: scalar(fields["code"]), kind: scalar(fields["type"]), message: scalar(fields["message"])}
}

// readDetail reads FastAPI's detail: a text, an object with a message, or a
// list of places and what is wrong there.
func readDetail(raw json.RawMessage) string {
	var places []struct {
		Loc []json.RawMessage `json:"loc"`
		Msg string            `json:"msg"`
	}
	if json.Unmarshal(raw, &places) != nil {
		return readError(raw).message
	}
	var all []string
	for _, place := range places {
		var path []string
		for _, step := range place.Loc {
			path = append(path, scalar(step))
		}
		all = append(all, fmt.Sprintf("%s: %s", strings.Join(path, "."), place.Msg))
	}
	return strings.Join(all, "; ")
}

// reportsError tells an error from the ways of saying that there is none.
func reportsError(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", `""`, "false", "[]":
		return false
	}
	return true
}

var (
	hidden = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>`)
	markup = regexp.MustCompile(`(?s)<[^>]*>`)
)

// excerpt is the beginning of the body as text: a proxy's page says what is
// wrong, but between tags.
func (r reply) excerpt() string {
	// Secrets go first: one that is cut in half is no longer found.
	text := strings.TrimSpace(withoutSecrets(string(r.body[:min(len(r.body), 64<<10)]), r.secrets))
	if strings.HasPrefix(text, "<") {
		if plain := strings.TrimSpace(markup.ReplaceAllString(hidden.ReplaceAllString(text, " "), " ")); plain != "" {
			text = plain
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxExcerptRunes {
		text = string(runes[:maxExcerptRunes])
	}
	return text
}
