package activities

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Surface is what stays the same for the model in every round of a run: tools,
// instructions and settings. Runs refer to it by digest, so it enters no
// history.
type Surface struct {
	Model             string                     `json:"model"`
	Instructions      string                     `json:"instructions,omitempty"`
	Tools             []FunctionTool             `json:"tools,omitempty"`
	ParallelToolCalls *bool                      `json:"parallel_tool_calls,omitempty"`
	Settings          map[string]json.RawMessage `json:"settings,omitempty"`
	// Names maps public to model-visible names, where the two differ.
	Names map[string]string `json:"names,omitempty"`
}

// Digest identifies the JSON text of a surface, or of anything else.
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

// visible is the model's name of a public one.
func (s Surface) visible(public string) string {
	if name, ok := s.Names[public]; ok {
		return name
	}
	return public
}

// public is the caller's name of a model-visible one.
func (s Surface) public(visible string) string {
	for public, name := range s.Names {
		if name == visible {
			return public
		}
	}
	return visible
}
