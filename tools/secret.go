package tools

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

// Secret is text that no way of printing, logging or encoding shows: all that
// comes out is whether it is set. Convert it to a string where it is sent.
type Secret string

// String tells whether the secret is set.
func (s Secret) String() string {
	if s == "" {
		return "[not set]"
	}
	return "[set]"
}

// Format serves every verb of fmt, %q, %x and %#v included.
func (s Secret) Format(f fmt.State, _ rune) {
	// A State that cannot be written to has nowhere to report it either.
	_, _ = io.WriteString(f, s.String())
}

// MarshalText keeps the secret out of JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// masked stands where a credential was.
const masked = "[masked]"

// MaskSecrets takes the credentials out of tools[] as the caller wrote it, so
// that it can be shown again. What is not an array is not shown at all.
func MaskSecrets(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, one := range list {
		list[i] = maskDeclaration(one)
	}
	out, err := json.Marshal(list)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return out
}

func maskDeclaration(raw json.RawMessage) json.RawMessage {
	fields, ok := Object(raw)
	if !ok {
		return raw
	}
	changed := false
	if headers, ok := Object(fields["headers"]); ok {
		hidden := map[string]string{}
		for name := range headers {
			hidden[name] = masked
		}
		changed = setField(fields, "headers", hidden)
	} else if _, given := fields["headers"]; given {
		changed = setField(fields, "headers", masked)
	}
	if secret := fields["authorization"]; secret != nil && string(secret) != "null" {
		changed = setField(fields, "authorization", masked) || changed
	}
	var address string
	if json.Unmarshal(fields["server_url"], &address) == nil {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			u.User = url.User(masked)
			changed = setField(fields, "server_url", u.String()) || changed
		}
	}
	if !changed {
		return raw
	}
	out, err := json.Marshal(fields)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return out
}

func setField(fields map[string]json.RawMessage, name string, value any) bool {
	raw, err := json.Marshal(value)
	if err == nil {
		fields[name] = raw
	}
	return err == nil
}
