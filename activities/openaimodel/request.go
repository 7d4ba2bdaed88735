package openaimodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"errand/activities"
)

// ownFields are the body's fields that settings never replace, whichever API is
// spoken. Streaming is one of them: the configuration of the client decides.
var ownFields = []string{
	"model", "instructions", "input", "messages", "tools", "tool_choice",
	"parallel_tool_calls", "stream", "stream_options",
}

// owned compares without case: servers written in Go match field names that
// way, so that "Stream" would work there too.
func owned(key string) bool { return slices.Contains(ownFields, strings.ToLower(key)) }

// wellFormed checks every piece of raw JSON in a request, so that the encoders
// can copy them without looking.
func wellFormed(request activities.ModelRequest) error {
	for i, raw := range request.Items {
		if !json.Valid(raw) {
			return requestFault(fmt.Sprintf("conversation item %d is not JSON", i))
		}
	}
	for _, tool := range request.Tools {
		if len(tool.Parameters) > 0 && !json.Valid(tool.Parameters) {
			return requestFault(fmt.Sprintf("the parameters of tool %q are not JSON", tool.Name))
		}
	}
	if len(request.ToolChoice) > 0 && !json.Valid(request.ToolChoice) {
		return requestFault("tool_choice is not JSON")
	}
	for _, key := range sortedKeys(request.Settings) {
		if !json.Valid(request.Settings[key]) {
			return requestFault(fmt.Sprintf("the request field %q is not JSON", key))
		}
	}
	return nil
}
