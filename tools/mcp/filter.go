package mcp

import (
	"encoding/json"
	"slices"
)

// filter is allowed_tools, or a side of require_approval: a list of names, or
// {"tool_names":[…],"read_only":true}.
type filter struct {
	names    []string
	named    bool
	readOnly *bool
}

func parseFilter(raw json.RawMessage) filter {
	var f filter
	if json.Unmarshal(raw, &f.names) == nil {
		f.named = true
		return f
	}
	var body struct {
		Names    *[]string `json:"tool_names"`
		ReadOnly *bool     `json:"read_only"`
	}
	if json.Unmarshal(raw, &body) == nil {
		f.readOnly = body.ReadOnly
		if body.Names != nil {
			f.names, f.named = *body.Names, true
		}
	}
	return f
}

// takes tells whether a tool passes. A filter that says nothing takes none.
func (f filter) takes(name string, readOnly bool) bool {
	if f.named && !slices.Contains(f.names, name) {
		return false
	}
	if f.readOnly != nil && *f.readOnly != readOnly {
		return false
	}
	return f.named || f.readOnly != nil
}

// allowed tells whether allowed_tools lets a tool in; nil lets in all. What a
// server says about itself may narrow the choice, trusted or not.
func allowed(raw json.RawMessage, name string, readOnly bool) bool {
	return raw == nil || parseFilter(raw).takes(name, readOnly)
}

// needsApproval tells whether a policy wants a person's approval for a tool.
// readOnly is what the worker believes, not what an untrusted server says. Of
// tools in both lists or in neither, a person is asked about.
func needsApproval(policy json.RawMessage, name string, readOnly bool) bool {
	if policy == nil {
		return false
	}
	var word string
	if json.Unmarshal(policy, &word) == nil {
		return word != "never"
	}
	var sides struct {
		Always json.RawMessage `json:"always"`
		Never  json.RawMessage `json:"never"`
	}
	if json.Unmarshal(policy, &sides) != nil {
		return true
	}
	if given(sides.Always) && parseFilter(sides.Always).takes(name, readOnly) {
		return true
	}
	if given(sides.Never) {
		return !parseFilter(sides.Never).takes(name, readOnly)
	}
	// Only "always" is given, and the tool is not in it.
	return !given(sides.Always)
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
