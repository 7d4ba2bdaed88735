package protocol

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"errand/activities/model"
)

// ownFields are the body's fields that settings never replace, whichever API is
// spoken. Streaming is one of them: the configuration of the client decides.
var ownFields = []string{
	"model", "instructions", "input", "messages", "tools", "tool_choice",
	"parallel_tool_calls", "stream", "stream_options",
}

// IsOwnField tells whether settings may not replace a field. It compares without case: servers written in Go match field names that
// way, so that "Stream" would work there too.
func IsOwnField(key string) bool { return slices.Contains(ownFields, strings.ToLower(key)) }

// Check checks every piece of raw JSON in a request, so that the encoders can
// copy them without looking. It fails with RequestError.
func Check(request model.Request) error {
	for i, raw := range request.Items {
		if !json.Valid(raw) {
			return RequestError(fmt.Sprintf("conversation item %d is not JSON", i))
		}
	}
	for _, tool := range request.Tools {
		if len(tool.Parameters) > 0 && !json.Valid(tool.Parameters) {
			return RequestError(fmt.Sprintf("the parameters of tool %q are not JSON", tool.Name))
		}
	}
	if len(request.ToolChoice) > 0 && !json.Valid(request.ToolChoice) {
		return RequestError("tool_choice is not JSON")
	}
	for _, key := range slices.Sorted(maps.Keys(request.Settings)) {
		if !json.Valid(request.Settings[key]) {
			return RequestError(fmt.Sprintf("the request field %q is not JSON", key))
		}
	}
	return nil
}

// RequestError is the error for a request that cannot be written down. No server
// saw it and no retry mends it.
func RequestError(message string) *model.Error {
	return &model.Error{Code: "invalid_request", Message: Clip(message, MaxMessageBytes), Permanent: true}
}

// MaxMessageBytes bounds the message of a ModelError.
const MaxMessageBytes = 2000

// Clip cuts text to at most limit bytes, between characters.
func Clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
