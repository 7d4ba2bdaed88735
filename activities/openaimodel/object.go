package openaimodel

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// object writes a JSON object member by member. encoding/json would compact
// raw values and escape characters inside them; what callers wrote must leave
// as they wrote it.
type object struct {
	buffer bytes.Buffer
}

// raw adds a member whose value is JSON.
func (o *object) raw(key string, value []byte) {
	if o.buffer.Len() == 0 {
		o.buffer.WriteByte('{')
	} else {
		o.buffer.WriteByte(',')
	}
	o.buffer.Write(encode(key))
	o.buffer.WriteByte(':')
	o.buffer.Write(value)
}

// list adds a member whose value is an array of JSON values.
func (o *object) list(key string, values []json.RawMessage) {
	o.raw(key, array(values))
}

// array is an array of JSON values, each as it is.
func array(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(asBytes(values), []byte(",")), []byte("]"))
}

// bytes is the object; o takes no more members.
func (o *object) bytes() []byte {
	if o.buffer.Len() == 0 {
		return []byte("{}")
	}
	o.buffer.WriteByte('}')
	return o.buffer.Bytes()
}

func asBytes(values []json.RawMessage) [][]byte {
	all := make([][]byte, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}

// member is one key of an object and its value.
type member struct {
	key   string
	value json.RawMessage
}

// members reads an object in its own order, numbers untouched.
func members(raw []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, cmp.Or(err, errors.New("not an object"))
	}
	var all []member
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, member{key, value})
	}
	return all, nil
}

// encode marshals the package's own structs of strings and checked JSON,
// leaving < > & as they are.
func encode(v any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("openaimodel: " + err.Error())
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// scalar is a JSON string or number as text. Everything else is empty.
func scalar(raw json.RawMessage) string {
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

// absent tells whether a value is missing or null.
func absent(raw json.RawMessage) bool {
	trimmed := bytes.TrimSpace(raw)
	return len(trimmed) == 0 || string(trimmed) == "null"
}

// argumentText is the arguments of a call as the text that both APIs want:
// some servers send an object, some nothing, some the word null.
func argumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var compact bytes.Buffer
		if json.Compact(&compact, raw) == nil {
			text = compact.String()
		}
	}
	if absent(json.RawMessage(text)) {
		return "{}"
	}
	return text
}

// sortedKeys makes what is built from a map the same every time.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
