package openaimodel

import (
	"encoding/json"
	"strings"
)

// seeNext stands in a tool message that has no text of its own.
const seeNext = "(see the next message)"

// toolResult is a call's output in chat: text for the tool message, and parts
// that only a user message may hold.
type toolResult struct {
	text        string
	attachments []json.RawMessage
}

// toolResultOf reads the output of a function_call_output. A string stays the
// string it is; JSON of any other shape is shown as text.
func toolResultOf(output json.RawMessage) (toolResult, error) {
	parts, err := readParts(output)
	if err != nil {
		return toolResult{text: string(output)}, nil
	}
	var texts []string
	var result toolResult
	for _, raw := range parts {
		translated, text, err := chatPart(raw)
		switch {
		case err != nil:
			return toolResult{}, err
		case text != nil:
			texts = append(texts, *text)
		default:
			result.attachments = append(result.attachments, translated)
		}
	}
	result.text = strings.Join(texts, "\n")
	if result.text == "" && len(result.attachments) > 0 {
		result.text = seeNext
	}
	return result, nil
}

func toolMessage(id string, result toolResult) chatMessage {
	return chatMessage{Role: "tool", Content: encode(result.text), ToolCallID: &id}
}

// attached is the one user message behind a turn's outputs that carries their
// images and files, each under the id of its call.
func attached(calls []chatCall, results []*toolResult) chatMessage {
	var parts []json.RawMessage
	for i, result := range results {
		if result == nil || len(result.attachments) == 0 {
			continue
		}
		parts = append(parts, textPart("Attached to the output of call "+calls[i].ID+":"))
		parts = append(parts, result.attachments...)
	}
	return chatMessage{Role: "user", Content: encode(parts)}
}
