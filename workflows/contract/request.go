package contract

import (
	"encoding/json"

	"errand/tools"
)

// Request is the decoded argument of a run: an OpenAI Responses create-request
// plus the object run.
type Request struct {
	Model        string
	Instructions string
	// Input is the conversation that the caller starts with.
	Input []json.RawMessage
	// Tools are the caller's declarations; RawTools is the same as written, but
	// for credentials.
	Tools    []tools.Declaration
	RawTools json.RawMessage `json:",omitempty"`
	// ToolChoice is nil when the caller left it out.
	ToolChoice        json.RawMessage `json:",omitempty"`
	ParallelToolCalls *bool
	// MaxToolCalls bounds the gateway-owned calls of the run; 0 is no bound.
	MaxToolCalls int
	Metadata     json.RawMessage `json:",omitempty"`
	// Settings are the fields Errand does not interpret. They reach the model
	// unchanged in every round.
	Settings map[string]json.RawMessage
	// Warnings name fields that were taken out because they cannot work here.
	Warnings []string
	Run      RunOptions
	// Delegated is nil for a run that somebody started from outside.
	Delegated *Delegated `json:",omitempty"`
}

// Delegated says which call a delegated run works for.
type Delegated struct {
	// Depth is how many runs are above this one, from 1.
	Depth int
	// Round and Index are the place of the call in the run that started this one.
	Round, Index int
}
