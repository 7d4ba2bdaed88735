package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ParseArguments reads the arguments text of a model as a JSON object. Blank
// and null mean {}; an object comes back byte for byte, without the space
// around it; JSON text that holds such an object is decoded once. Anything
// else is an error that says what was received.
func ParseArguments(text string) (json.RawMessage, error) {
	return parseArguments(text, true)
}

func parseArguments(text string, mayHoldText bool) (json.RawMessage, error) {
	received := text
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if text == "" || text == "null" {
		return json.RawMessage("{}"), nil
	}
	if deeperThan([]byte(text), maxArgumentDepth) {
		return nil, fmt.Errorf("the arguments are nested too deeply: more than %d levels; received: %s",
			maxArgumentDepth, shorten(received, maxShown))
	}
	d := json.NewDecoder(strings.NewReader(text))
	var first json.RawMessage
	if err := d.Decode(&first); err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON (%s); send one JSON object; received: %s",
			decodeFault(err), shorten(received, maxShown))
	}
	first = bytes.TrimSpace(first)
	rest := strings.TrimSpace(text[d.InputOffset():])
	switch {
	case first[0] == '{' && rest != "":
		return nil, fmt.Errorf("the arguments go on after the end of the JSON object: %s; send one JSON object and nothing else; received: %s",
			shorten(rest, 40), shorten(received, maxShown))
	case first[0] == '{':
		return first, nil
	case first[0] == '"' && rest == "" && mayHoldText:
		var inner string
		if json.Unmarshal(first, &inner) == nil {
			return parseArguments(inner, false)
		}
	}
	return nil, fmt.Errorf("the arguments must be a JSON object; received: %s", shorten(received, maxShown))
}

// maxShown is how many characters of bad arguments an error repeats.
const maxShown = 200

func decodeFault(err error) string {
	if strings.Contains(err.Error(), "EOF") {
		return "they end too early"
	}
	return shorten(err.Error(), 100)
}
