package harness

import (
	"encoding/json"
	"fmt"

	"errand/tools/item"
)

// Decode reads a recorded request for an inference.
func Decode(request Request) (Decoded, error) {
	dialect, known := dialects[request.Path]
	if !known {
		return Decoded{}, fmt.Errorf("%s %s is no request for an inference", request.Method, request.Path)
	}
	return dialect.decode(request)
}

func decodeResponses(request Request) (Decoded, error) {
	var body struct {
		Model        string          `json:"model"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []Tool          `json:"tools"`
		ToolChoice   json.RawMessage `json:"tool_choice"`
		Parallel     *bool           `json:"parallel_tool_calls"`
		Stream       bool            `json:"stream"`
	}
	if err := json.Unmarshal(request.Body, &body); err != nil {
		return Decoded{}, fmt.Errorf("the body is not a Responses request: %w", err)
	}
	items, err := inputItems(body.Input)
	if err != nil {
		return Decoded{}, err
	}
	return Decoded{
		API: ResponsesAPI, Model: body.Model, Instructions: body.Instructions, Items: items,
		Tools: body.Tools, ToolChoice: body.ToolChoice, ParallelToolCalls: body.Parallel,
		Stream: body.Stream, Request: request,
	}, nil
}

// inputItems reads input: a text or an array of items.
func inputItems(input json.RawMessage) ([]json.RawMessage, error) {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return []json.RawMessage{item.Message("user", text)}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(input, &items); err != nil {
		return nil, fmt.Errorf("input is neither a text nor an array of items: %w", err)
	}
	return items, nil
}
