package tools

import (
	"fmt"
	"io"
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
