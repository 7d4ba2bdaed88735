package starter

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Request builds the JSON of a request, which is an OpenAI Responses
// create-request plus the object run. Zero fields are left out; the run then
// uses its defaults.
type Request struct {
	// Model and Input are required.
	Model        string
	Instructions string
	// Input is text, or the items of a conversation as []json.RawMessage.
	Input any
	Tools []Tool
	// ToolChoice is "auto", "none", "required", or an object that names a tool.
	ToolChoice        any
	ParallelToolCalls *bool
	// MaxToolCalls bounds the calls that workers execute in the whole run.
	MaxToolCalls int
	Metadata     map[string]string
	// Run is Errand's own part.
	Run RunOptions
	// Extra is merged into the top level: temperature, reasoning, vendor keys.
	// It must not repeat a field above.
	Extra map[string]any
}

// MarshalJSON writes the request: the named fields in the order of the
// struct, then Extra by name.
func (r Request) MarshalJSON() ([]byte, error) {
	var run *RunOptions
	if r.Run != (RunOptions{}) {
		run = &r.Run
	}
	named, err := json.Marshal(struct {
		Model             string            `json:"model,omitempty"`
		Instructions      string            `json:"instructions,omitempty"`
		Input             any               `json:"input,omitempty"`
		Tools             []Tool            `json:"tools,omitempty"`
		ToolChoice        any               `json:"tool_choice,omitempty"`
		ParallelToolCalls *bool             `json:"parallel_tool_calls,omitempty"`
		MaxToolCalls      int               `json:"max_tool_calls,omitempty"`
		Metadata          map[string]string `json:"metadata,omitempty"`
		Run               *RunOptions       `json:"run,omitempty"`
	}{
		r.Model, r.Instructions, r.Input, r.Tools, r.ToolChoice,
		r.ParallelToolCalls, r.MaxToolCalls, r.Metadata, run,
	})
	if err != nil {
		return nil, err
	}
	return merge(named, r.Extra, requestFields)
}

var requestFields = []string{
	"model", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls",
	"max_tool_calls", "metadata", "run",
}

// merge appends the members of extra to the JSON object named. An extra member
// that has a field of its own is an error: one of the two would be lost.
func merge(named []byte, extra map[string]any, taken []string) ([]byte, error) {
	if len(extra) == 0 {
		return named, nil
	}
	for _, name := range taken {
		if _, twice := extra[name]; twice {
			return nil, fmt.Errorf("extra member %q: use the field of that name", name)
		}
	}
	more, err := json.Marshal(extra)
	if err != nil {
		return nil, fmt.Errorf("extra members: %w", err)
	}
	if bytes.Equal(named, []byte("{}")) {
		return more, nil
	}
	merged := append(bytes.TrimSuffix(named, []byte("}")), ',')
	return append(merged, more[1:]...), nil
}
