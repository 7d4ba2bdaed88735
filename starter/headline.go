package starter

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"errand/tools/item"
)

// What a list of runs shows, kept in the memo of a run.
const (
	memoModel  = "model"
	memoPrompt = "prompt"
	// maxHeadline is the size of a prompt in a list, in bytes.
	maxHeadline = 200
)

// promptOf is the text that a run is about: the newest message of the user.
func promptOf(input []json.RawMessage) string {
	for _, raw := range slices.Backward(input) {
		if head, err := item.Peek(raw); err == nil && head.Role == "user" {
			if text := item.Text(raw); text != "" {
				return text
			}
		}
	}
	return ""
}

// headline makes one line of text, of at most limit bytes.
func headline(text string, limit int) string {
	const ellipsis = "…"
	text = strings.TrimSpace(text)
	if head := 8 * limit; len(text) > head { // no need to look at a megabyte
		text = text[:head]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit - len(ellipsis)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + ellipsis
}
