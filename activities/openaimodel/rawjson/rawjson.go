// Package rawjson reads and writes JSON without changing what it carries:
// encoding/json would reorder members, compact raw values and escape characters
// inside them, and what a caller or a model wrote must leave as it was written.
package rawjson

import (
	"bytes"
	"encoding/json"
)

// Encode marshals v, which must be marshalable, leaving < > & as they are.
func Encode(v any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("rawjson: " + err.Error())
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// Array is an array of JSON values, each as it is.
func Array(values []json.RawMessage) json.RawMessage {
	array := []byte("[")
	for i, value := range values {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, value...)
	}
	return append(array, ']')
}

// Fields are the members of an object by name. They are empty, and not nil, for
// anything else.
func Fields(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return map[string]json.RawMessage{}
	}
	return fields
}

// Text is a JSON string or number as text. Everything else is empty: servers
// write ids and codes as either, and leave them null.
func Text(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// IsNull tells whether a value is missing or null.
func IsNull(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// IsString looks at a valid JSON value without space around it, which is what
// encoding/json puts into a RawMessage.
func IsString(raw json.RawMessage) bool { return len(raw) >= 2 && raw[0] == '"' }
