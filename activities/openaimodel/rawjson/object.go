package rawjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
)

// Member is one key of an object and its value.
type Member struct {
	Key   string
	Value json.RawMessage
}

// Object is a JSON object as its members in their order.
type Object []Member

// ParseObject reads an object, numbers untouched and repeated keys kept. It fails
// for any other value; raw itself is valid JSON.
func ParseObject(raw []byte) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, cmp.Or(err, errors.New("not an object"))
	}
	var all Object
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
		all.Add(key, value)
	}
	return all, nil
}

// Add appends a member.
func (o *Object) Add(key string, value json.RawMessage) { *o = append(*o, Member{key, value}) }

// Get is the value of the first member with that key, or nil.
func (o *Object) Get(key string) json.RawMessage {
	for _, m := range *o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Set gives a member a value, in its old place if it has one.
func (o *Object) Set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].Key == key {
			(*o)[i].Value = value
			return
		}
	}
	o.Add(key, value)
}

// SetDefault gives a member a value unless it has one that is neither null nor
// the empty string.
func (o *Object) SetDefault(key string, value json.RawMessage) {
	if given := o.Get(key); IsNull(given) || string(given) == `""` {
		o.Set(key, value)
	}
}

// Encode writes the object, each value as it is.
func (o *Object) Encode() json.RawMessage {
	var buffer bytes.Buffer
	buffer.WriteByte('{')
	for i, m := range *o {
		if i > 0 {
			buffer.WriteByte(',')
		}
		buffer.Write(Encode(m.Key))
		buffer.WriteByte(':')
		buffer.Write(m.Value)
	}
	buffer.WriteByte('}')
	return buffer.Bytes()
}
