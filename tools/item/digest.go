package item

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest identifies a text by 32 hexadecimal digits.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// NextDigest continues the digest of a conversation by one item.
func NextDigest(digest string, item []byte) string {
	h := sha256.New()
	h.Write([]byte(digest))
	h.Write(item)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

const (
	// RefFrom is the size in bytes from which an item that a worker has had is sent
	// to the next as a reference. A reference takes a third of it.
	RefFrom = 100
	// refLength is how much of an item's digest is its reference. The digest of
	// the whole conversation finds out where two items have the same.
	refLength = 12
)

// Ref is the beginning of an item's digest, by which a worker that has had the
// item finds it again.
func Ref(it json.RawMessage) string { return Digest(it)[:refLength] }

// RefItem stands for an item in the input of an activity: a JSON string in place
// of the object.
func RefItem(ref string) json.RawMessage { return json.RawMessage(`"` + ref + `"`) }

// IsRef tells whether an item of an input is a reference, and which.
func IsRef(it json.RawMessage) (ref string, is bool) {
	if len(it) < 2 || it[0] != '"' {
		return "", false
	}
	return string(it[1 : len(it)-1]), true
}
