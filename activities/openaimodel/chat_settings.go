package openaimodel

import (
	"encoding/json"
	"slices"
)

// responsesOnly are settings that chat servers reject and that change nothing
// about the answer to a conversation sent whole. Two neighbours are not here:
// store has the same meaning in both APIs, and dropping a false could leave
// data behind where its owner forbade it; prompt and conversation hold input,
// so that a server's complaint is better than an answer without it.
var responsesOnly = []string{"include", "truncation", "previous_response_id", "max_tool_calls", "background"}

// chatSettings renames what has another name in Chat Completions and passes
// everything else unchanged. A setting that already has its chat name wins over
// a translated one.
func chatSettings(settings map[string]json.RawMessage) ([]member, error) {
	var all []member
	for _, key := range sortedKeys(settings) {
		value := settings[key]
		translated := []member{{key, value}}
		var err error
		switch {
		case owned(key), slices.Contains(responsesOnly, key):
			continue
		case key == "max_output_tokens":
			translated = []member{{"max_completion_tokens", value}}
		case key == "text":
			translated, err = chatText(value)
		case key == "reasoning":
			translated, err = chatReasoning(value)
		}
		if err != nil {
			return nil, requestFault("the request field \"" + key + "\" cannot be read: " + err.Error())
		}
		for _, one := range translated {
			if _, given := settings[one.key]; one.key == key || !given && !absent(one.value) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// chatReasoning keeps the effort, the only part that chat has a field for.
func chatReasoning(raw json.RawMessage) ([]member, error) {
	var reasoning struct {
		Effort json.RawMessage `json:"effort"`
	}
	err := json.Unmarshal(raw, &reasoning)
	return []member{{"reasoning_effort", reasoning.Effort}}, err
}

// chatText splits text into response_format and verbosity.
func chatText(raw json.RawMessage) ([]member, error) {
	var text struct {
		Format    json.RawMessage `json:"format"`
		Verbosity json.RawMessage `json:"verbosity"`
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	format, err := chatFormat(text.Format)
	return []member{{"response_format", format}, {"verbosity", text.Verbosity}}, err
}

// chatFormat nests the schema of a json_schema format. The default, text, is
// left out, and any other format passes as it is.
func chatFormat(raw json.RawMessage) (json.RawMessage, error) {
	if absent(raw) {
		return nil, nil
	}
	all, err := members(raw)
	if err != nil {
		return nil, err
	}
	var kind string
	var schema object
	for _, m := range all {
		if m.key == "type" {
			kind = scalar(m.value)
			continue
		}
		schema.raw(m.key, m.value)
	}
	switch kind {
	case "text":
		return nil, nil
	case "json_schema":
		var format object
		format.raw("type", []byte(`"json_schema"`))
		format.raw("json_schema", schema.bytes())
		return format.bytes(), nil
	}
	return raw, nil
}
