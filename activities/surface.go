package activities

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"errand/tools"
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
	// TextCalls has calls read from the text of answers that have no others.
	TextCalls bool `json:"text_calls,omitempty"`
	// Names tie model-visible names to what the caller knows, where the two
	// differ.
	Names []Name `json:"names,omitempty"`
}

// Name is one model-visible name and the tool that it stands for.
type Name struct {
	Visible string `json:"visible"`
	tools.Identity
	// Type is the tool's declaration type.
	Type string `json:"type"`
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
