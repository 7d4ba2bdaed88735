package protocol

import (
	"bytes"
	"encoding/json"

	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// OutputText is a part of a message: what the model said.
func OutputText(text string) json.RawMessage {
	return rawjson.Encode(struct {
		Type        string   `json:"type"`
		Text        string   `json:"text"`
		Annotations []string `json:"annotations"`
	}{"output_text", text, []string{}})
}

// RefusalPart is a part of a message: what the model said in place of an answer.
func RefusalPart(text string) json.RawMessage {
	return rawjson.Encode(struct {
		Type    string `json:"type"`
		Refusal string `json:"refusal"`
	}{"refusal", text})
}

// ReasoningText is a part of a reasoning item.
type ReasoningText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// ArgumentText is the arguments of a call as the text that both APIs want:
// some servers send an object, some nothing, some the word null.
func ArgumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			text = compact.String()
		}
	}
	if rawjson.IsNull(json.RawMessage(text)) {
		return "{}"
	}
	return text
}

// AddArguments appends a piece of a call's arguments, which some servers send as
// the object that it should be the text of.
func AddArguments(to *rawjson.StringBuilder, piece json.RawMessage) {
	var compact bytes.Buffer
	if !rawjson.IsNull(piece) && !rawjson.IsString(piece) && json.Compact(&compact, piece) == nil {
		piece = rawjson.Encode(compact.String())
	}
	to.Add(piece)
}

// WithTotal adds up a total that was left out.
func WithTotal(usage *item.Usage) *item.Usage {
	if usage.TotalTokens == 0 {
		usage.TotalTokens = usage.InputTokens + usage.OutputTokens
	}
	return usage
}
