package world

import (
	"encoding/hex"
	"math/rand/v2"
)

// Noise is a text of so many bytes that hardly compresses; the same for the same
// seed.
func Noise(seed, bytes int) string {
	source := rand.NewChaCha8([32]byte{byte(seed)})
	raw := make([]byte, bytes/2+1)
	_, _ = source.Read(raw) // it never fails
	return hex.EncodeToString(raw)[:bytes]
}
