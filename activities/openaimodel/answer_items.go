package openaimodel

import (
	"encoding/json"

	"errand/tools/item"
)

// The items below are made from a chat answer. The same answer always makes
// the same bytes: there are no ids, for chat gives none.

const completed = "completed"

func messageItem(parts []json.RawMessage) json.RawMessage {
	return encode(struct {
		Type    string            `json:"type"`
		Role    string            `json:"role"`
		Status  string            `json:"status"`
		Content []json.RawMessage `json:"content"`
	}{item.TypeMessage, "assistant", completed, parts})
}

func outputText(text string) json.RawMessage {
	return encode(struct {
		Type        string   `json:"type"`
		Text        string   `json:"text"`
		Annotations []string `json:"annotations"`
	}{"output_text", text, []string{}})
}

func refusalPart(text string) json.RawMessage {
	return encode(struct {
		Type    string `json:"type"`
		Refusal string `json:"refusal"`
	}{"refusal", text})
}

// reasoningText is a part of a reasoning item.
type reasoningText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func reasoningItem(text string) json.RawMessage {
	return encode(struct {
		Type    string          `json:"type"`
		Summary []reasoningText `json:"summary"`
		Content []reasoningText `json:"content"`
		Status  string          `json:"status"`
	}{item.TypeReasoning, []reasoningText{}, []reasoningText{{"reasoning_text", text}}, completed})
}

func callItem(id, name string, arguments json.RawMessage) json.RawMessage {
	return encode(struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Status    string `json:"status"`
	}{item.TypeFunctionCall, id, name, argumentText(arguments), completed})
}
