package textcall

import (
	"bytes"
	"encoding/json"
)

// maxWraps is how many times an object may be wrapped in a JSON string.
const maxWraps = 3

// object is the JSON object that data holds: as it is, in a markdown fence,
// in a JSON string, or with faults that can be mended.
func object(data []byte, wraps int) (json.RawMessage, bool) {
	data = unfence(bytes.TrimSpace(data))
	for _, attempt := range []func([]byte) []byte{asWritten, mend, mendAllQuotes} {
		text := attempt(data)
		if !json.Valid(text) {
			continue
		}
		if text[0] == '{' {
			return bytes.ToValidUTF8(text, []byte("\uFFFD")), true
		}
		var held string
		if wraps == 0 || json.Unmarshal(text, &held) != nil {
			return nil, false
		}
		return object([]byte(held), wraps-1)
	}
	return nil, false
}

func asWritten(data []byte) []byte { return data }

// unfence takes away a markdown fence with its language.
func unfence(data []byte) []byte {
	const fence = "```"
	if len(data) < 2*len(fence) || !bytes.HasPrefix(data, []byte(fence)) || !bytes.HasSuffix(data, []byte(fence)) {
		return data
	}
	inner := data[len(fence) : len(data)-len(fence)]
	return bytes.TrimSpace(bytes.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
}
