package openaimodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
	if absent(content) {
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
	return encode(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// chatContent translates the content of a message that is not the assistant's.
// One text is a plain string, which the oldest servers take too.
func chatContent(content json.RawMessage) (json.RawMessage, error) {
	parts, err := readParts(content)
	if err != nil {
		return nil, err
	}
	all := make([]json.RawMessage, 0, len(parts))
	for _, raw := range parts {
		translated, text, err := chatPart(raw)
		if err != nil {
			return nil, err
		}
		if text != nil && len(parts) == 1 {
			return encode(*text), nil
		}
		all = append(all, translated)
	}
	if len(all) == 0 {
		return json.RawMessage(`""`), nil
	}
	return encode(all), nil
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

// chatPart translates one part; text is set when that is what it is. A part
// of unknown type passes as it is: vendors have their own.
func chatPart(raw json.RawMessage) (translated json.RawMessage, text *string, err error) {
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
	if said, ok := p.text(); ok {
		return textPart(said), &said, nil
	}
	if p.Type == "input_image" {
		translated, err = p.image()
	} else {
		translated, err = p.file()
	}
	return translated, nil, err
}

func (p part) image() (json.RawMessage, error) {
	if absent(p.ImageURL) {
		return nil, errors.New("an input_image without image_url has no form in Chat Completions")
	}
	var image, written object
	image.raw("url", p.ImageURL)
	if !absent(p.Detail) {
		image.raw("detail", p.Detail)
	}
	written.raw("type", []byte(`"image_url"`))
	written.raw("image_url", image.bytes())
	return written.bytes(), nil
}

func (p part) file() (json.RawMessage, error) {
	if absent(p.FileID) && absent(p.FileData) {
		return nil, errors.New("an input_file without file_id or file_data has no form in Chat Completions")
	}
	var file, written object
	for _, m := range []member{{"file_id", p.FileID}, {"file_data", p.FileData}, {"filename", p.Filename}} {
		if !absent(m.value) {
			file.raw(m.key, m.value)
		}
	}
	written.raw("type", []byte(`"file"`))
	written.raw("file", file.bytes())
	return written.bytes(), nil
}
