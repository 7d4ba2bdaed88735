package mcp

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
)

// refusesItsOwn tells whether a server refuses the version that it was asked
// at, and names that version among those it speaks.
func refusesItsOwn(method string, refusal *mcp.JSONRPCErrorDetails) bool {
	if mcp.MCPMethod(method) != mcp.MethodServerDiscover || refusal == nil || refusal.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return false
	}
	raw, err := json.Marshal(refusal.Data)
	if err != nil {
		return false
	}
	var says struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}
	if json.Unmarshal(raw, &says) != nil {
		return false
	}
	return slices.Contains(says.Supported, cmp.Or(says.Requested, mcp.LATEST_PROTOCOL_VERSION))
}
