package chat

import (
	"encoding/json"
	"maps"
	"slices"

	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
)

// responsesOnly are settings that chat servers reject and that change nothing
// about the answer to a conversation sent whole. Two neighbours are not here:
// store has the same meaning in both APIs, and dropping a false could leave
// data behind where its owner forbade it; prompt and conversation hold input,
// so that a server's error is better than an answer without it.
var responsesOnly = []string{"include", "truncation", "previous_response_id", "max_tool_calls", "background"}

// encodeSettings renames what has another name in Chat Completions and passes
// everything else unchanged. A setting that already has its chat name wins over
// a translated one.
func encodeSettings(settings map[string]json.RawMessage) (rawjson.Object, error) {
	var all rawjson.Object
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		value := settings[key]
		translated := rawjson.Object{{Key: key, Value: value}}
		var err error
		switch {
		case protocol.IsOwnField(key), slices.Contains(responsesOnly, key):
			continue
		case key == "max_output_tokens":
			translated = rawjson.Object{{Key: "max_completion_tokens", Value: value}}
		case key == "text":
			translated, err = encodeText(value)
		case key == "reasoning":
			translated, err = encodeReasoning(value)
		}
		if err != nil {
			return nil, protocol.RequestError("the request field \"" + key + "\" cannot be read: " + err.Error())
		}
		for _, one := range translated {
			if _, given := settings[one.Key]; one.Key == key || !given && !rawjson.IsNull(one.Value) {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// encodeReasoning keeps the effort, the only part that chat has a field for.
func encodeReasoning(raw json.RawMessage) (rawjson.Object, error) {
	var reasoning struct {
		Effort json.RawMessage `json:"effort"`
	}
	err := json.Unmarshal(raw, &reasoning)
	return rawjson.Object{{Key: "reasoning_effort", Value: reasoning.Effort}}, err
}

// encodeText splits text into response_format and verbosity.
func encodeText(raw json.RawMessage) (rawjson.Object, error) {
	var text struct {
		Format    json.RawMessage `json:"format"`
		Verbosity json.RawMessage `json:"verbosity"`
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	format, err := encodeFormat(text.Format)
	return rawjson.Object{{Key: "response_format", Value: format}, {Key: "verbosity", Value: text.Verbosity}}, err
}

// encodeFormat nests the schema of a json_schema format. The default, text, is
// left out, and any other format passes as it is.
func encodeFormat(raw json.RawMessage) (json.RawMessage, error) {
	if rawjson.IsNull(raw) {
		return nil, nil
	}
	all, err := rawjson.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	var kind string
	var schema rawjson.Object
	for _, m := range all {
		if m.Key == "type" {
			kind = rawjson.Text(m.Value)
			continue
		}
		schema.Add(m.Key, m.Value)
	}
	switch kind {
	case "text":
		return nil, nil
	case "json_schema":
		return typed("json_schema", schema), nil
	}
	return raw, nil
}
