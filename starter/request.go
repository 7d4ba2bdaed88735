package starter

import (
	"bytes"
	"encoding/json"
	"fmt"

	"errand/tools"
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

// Tool declares one tool in a request. Function and Platform make the two usual
// kinds; any other type is written with Type and Extra.
type Tool struct {
	Type        string
	Name        string
	Description string
	// Parameters and OutputSchema are JSON Schema objects: a json.RawMessage,
	// or anything that marshals to one.
	Parameters   any
	OutputSchema any
	Strict       *bool
	// Writes says whether the tool changes anything; one that does not say
	// counts as writing.
	Writes *bool
	// Checkpointable says that what the tool changes can be rolled back.
	Checkpointable bool
	// ClientTimeout bounds the wait for one call of a function or custom tool
	// in place of RunOptions.ClientTimeout; zero keeps that, NoTimeout is no
	// bound.
	ClientTimeout Duration
	// Extra holds the members that other types have. It must not repeat a
	// field above.
	Extra map[string]any
}

// Function declares a tool of the client: whoever started the run answers its
// calls, through Run.Serve or Run.Answer. parameters may be nil.
func Function(name, description string, parameters any) Tool {
	return Tool{Type: tools.TypeFunction, Name: name, Description: description, Parameters: parameters}
}

// Platform declares a tool that is registered in the worker under this name.
func Platform(name string) Tool { return Tool{Type: tools.TypePlatform, Name: name} }

// MarshalJSON writes the declaration: the named fields, then Extra by name.
func (t Tool) MarshalJSON() ([]byte, error) {
	named, err := json.Marshal(struct {
		Type           string   `json:"type,omitempty"`
		Name           string   `json:"name,omitempty"`
		Description    string   `json:"description,omitempty"`
		Parameters     any      `json:"parameters,omitempty"`
		OutputSchema   any      `json:"output_schema,omitempty"`
		Strict         *bool    `json:"strict,omitempty"`
		Writes         *bool    `json:"writes,omitempty"`
		Checkpointable bool     `json:"checkpointable,omitempty"`
		ClientTimeout  Duration `json:"client_timeout,omitempty"`
	}{
		t.Type, t.Name, t.Description, t.Parameters, t.OutputSchema, t.Strict, t.Writes, t.Checkpointable,
		t.ClientTimeout,
	})
	if err != nil {
		return nil, err
	}
	return merge(named, t.Extra, toolFields)
}

var toolFields = []string{
	"type", "name", "description", "parameters", "output_schema", "strict", "writes", "checkpointable",
	"client_timeout",
}
