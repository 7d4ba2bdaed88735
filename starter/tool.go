package starter

import (
	"encoding/json"

	"errand/tools"
)

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
