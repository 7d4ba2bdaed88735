package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"errand/activities/openaimodel/rawjson"
)

// part is a content part of the Responses API.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"`
	Detail   json.RawMessage `json:"detail"`
	FileID   json.RawMessage `json:"file_id"`
	FileData json.RawMessage `json:"file_data"`
	Filename json.RawMessage `json:"filename"`
}

// text is the part's text, or false when it has another kind of content.
func (p part) text() (string, bool) {
	switch p.Type {
	case "input_text", "output_text", "text":
		return p.Text, true
	case "refusal":
		// What the assistant said instead; not all servers have a field for it.
		return p.Refusal, true
	}
	return "", false
}

// readParts splits content: a string is one part of text, null is none.
func readParts(content json.RawMessage) ([]json.RawMessage, error) {
	var text *string
	if rawjson.IsNull(content) {
		return nil, nil
	}
	if json.Unmarshal(content, &text) == nil {
		return []json.RawMessage{textPart(*text)}, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return nil, errors.New("its content is neither a string nor a list of parts")
	}
	return parts, nil
}

func textPart(text string) json.RawMessage {
	return rawjson.Encode(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// encodeContent translates the content of a message that is not the assistant's.
// One text is a plain string, which the oldest servers take too.
func encodeContent(content json.RawMessage) (json.RawMessage, error) {
	parts, err := readParts(content)
	if err != nil {
		return nil, err
	}
	all := make([]json.RawMessage, 0, len(parts))
	for _, raw := range parts {
		translated, text, err := encodePart(raw)
		if err != nil {
			return nil, err
		}
		if text != nil && len(parts) == 1 {
			return rawjson.Encode(*text), nil
		}
		all = append(all, translated)
	}
	if len(all) == 0 {
		return json.RawMessage(`""`), nil
	}
	return rawjson.Encode(all), nil
}

// assistantText joins an assistant's parts. A part that is not text cannot be
// left out in silence, and chat has no place for it.
func assistantText(content json.RawMessage) (string, error) {
	parts, err := readParts(content)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, raw := range parts {
		var p part
		if err := json.Unmarshal(raw, &p); err != nil {
			return "", err
		}
		text, ok := p.text()
		if !ok {
			return "", fmt.Errorf("a part of type %q has no form in an assistant's chat message", p.Type)
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

// encodePart translates one part; text is set when that is what it is. A part
// of unknown type passes as it is: vendors have their own.
func encodePart(raw json.RawMessage) (translated json.RawMessage, text *string, err error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, nil, err
	}
	switch head.Type {
	case "input_text", "output_text", "text", "refusal", "input_image", "input_file":
	default:
		return raw, nil, nil
	}
	var p part
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, nil, err
	}
	if text, ok := p.text(); ok {
		return textPart(text), &text, nil
	}
	if p.Type == "input_image" {
		translated, err = p.image()
	} else {
		translated, err = p.file()
	}
	return translated, nil, err
}

func (p part) image() (json.RawMessage, error) {
	if rawjson.IsNull(p.ImageURL) {
		return nil, errors.New("an input_image without image_url has no form in Chat Completions")
	}
	var image rawjson.Object
	image.Add("url", p.ImageURL)
	if !rawjson.IsNull(p.Detail) {
		image.Add("detail", p.Detail)
	}
	return typed("image_url", image), nil
}

func (p part) file() (json.RawMessage, error) {
	if rawjson.IsNull(p.FileID) && rawjson.IsNull(p.FileData) {
		return nil, errors.New("an input_file without file_id or file_data has no form in Chat Completions")
	}
	var file rawjson.Object
	for _, m := range (rawjson.Object{{Key: "file_id", Value: p.FileID}, {Key: "file_data", Value: p.FileData}, {Key: "filename", Value: p.Filename}}) {
		if !rawjson.IsNull(m.Value) {
			file.Add(m.Key, m.Value)
		}
	}
	return typed("file", file), nil
}

// typed is an object of a type, with its contents under the name of that type,
// as chat nests them.
func typed(kind string, contents rawjson.Object) json.RawMessage {
	written := rawjson.Object{{Key: "type", Value: rawjson.Encode(kind)}, {Key: kind, Value: contents.Encode()}}
	return written.Encode()
}
