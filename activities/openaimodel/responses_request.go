package openaimodel

import (
	"encoding/json"

	"errand/activities"
)

// encodeResponses writes a request of the Responses API. Items, tool choice
// and settings are copied byte for byte.
func encodeResponses(request activities.ModelRequest) (*object, error) {
	var body object
	body.raw("model", encode(request.Model))
	if request.Instructions != "" {
		body.raw("instructions", encode(request.Instructions))
	}
	body.list("input", request.Items)
	// Without tools there is nothing to choose: servers reject all three
	// fields then, and an empty list of tools as well.
	if len(request.Tools) > 0 {
		body.list("tools", responsesTools(request.Tools))
		if !absent(request.ToolChoice) {
			body.raw("tool_choice", request.ToolChoice)
		}
		if request.ParallelToolCalls != nil {
			body.raw("parallel_tool_calls", encode(*request.ParallelToolCalls))
		}
	}
	for _, key := range sortedKeys(request.Settings) {
		if !owned(key) {
			body.raw(key, request.Settings[key])
		}
	}
	return &body, nil
}

func responsesTools(tools []activities.FunctionTool) []json.RawMessage {
	all := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		var written object
		written.raw("type", []byte(`"function"`))
		writeFunction(&written, tool)
		all[i] = written.bytes()
	}
	return all
}

// writeFunction adds the members that both APIs have for a tool.
func writeFunction(to *object, tool activities.FunctionTool) {
	to.raw("name", encode(tool.Name))
	if tool.Description != "" {
		to.raw("description", encode(tool.Description))
	}
	to.raw("parameters", parameters(tool.Parameters))
	if tool.Strict != nil {
		to.raw("strict", encode(*tool.Strict))
	}
}
