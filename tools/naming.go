package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// MaxName is the longest name, in bytes, that a model may see.
const MaxName = 64

// ValidName tells whether name is one that every model accepts:
// ^[A-Za-z0-9_-]{1,64}$.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	for i := range len(name) {
		if !plain(rune(name[i])) {
			return false
		}
	}
	return true
}

// VisibleName is the name under which a model sees a tool. A valid name stays
// as it is; any other is made readable and told apart by a hash of identity,
// the full name of the tool, for example "function:get.flight". The same
// arguments give the same name on every worker and in every replay.
func VisibleName(identity, name string) string {
	if ValidName(name) {
		return name
	}
	sum := sha256.Sum256([]byte(identity))
	suffix := "_" + hex.EncodeToString(sum[:5])
	if name == "" {
		return "tool" + suffix
	}
	var b strings.Builder
	for _, r := range name {
		if b.Len() == MaxName-len(suffix) {
			break
		}
		if plain(r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String() + suffix
}

func plain(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
