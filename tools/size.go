package tools

import "encoding/json"

// EncodedSize is how many bytes a value takes as it travels: as JSON text,
// escapes included. What cannot be encoded counts 0. Raw JSON is not parsed but
// only looked through: what is not Canonical may be counted as more than it
// takes.
func EncodedSize(v any) int {
	if raw, ok := v.(json.RawMessage); ok && raw != nil {
		return rawSize(raw)
	}
	var n counter
	if err := json.NewEncoder(&n).Encode(v); err != nil {
		return 0
	}
	return int(n) - len("\n")
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// rawSize counts the characters of JSON text that are escaped on the way.
func rawSize(raw json.RawMessage) int {
	size := len(raw)
	for i, c := range raw {
		switch {
		case c == '<' || c == '>' || c == '&':
			size += len(`\u003c`) - 1
		case c == 0xE2 && i+2 < len(raw) && raw[i+1] == 0x80 && raw[i+2]&^1 == 0xA8: // U+2028 and U+2029
			size += len(`\u2028`) - 3
		}
	}
	return size
}
