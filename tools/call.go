package tools

import (
	"encoding/json"
	"fmt"
)

// Call is one tool use that the model asked for.
type Call struct {
	// ID is the tool_call_id: it ties the request to its outcome. It is unique
	// in its round only.
	ID string `json:"tool_call_id"`
	// Round and Index are the call's place: the round counts from 1, the index
	// is the origin order within the batch, from 0.
	Round int `json:"round"`
	Index int `json:"index"`
	// Tool is the name that the caller declared, in Namespace (for a name nobody
	// declared, what the model wrote).
	Tool      string `json:"tool"`
	Namespace string `json:"namespace,omitempty"`
	// Arguments are JSON text: the model's own, which may be anything, until
	// prepare has made them final.
	Arguments string `json:"arguments"`
}

// Identity is the public name with its namespace.
func (c Call) Identity() Identity { return Identity{c.Namespace, c.Tool} }

// Key is the stable idempotency key of a call: the same for every attempt and
// every worker, also after a reset.
func Key(runID string, round, index int) string {
	return fmt.Sprintf("%s/%d/%d", runID, round, index)
}

// Plan holds the options that constrain every tool of a run.
type Plan struct {
	ReadOnly          bool `json:"read_only,omitempty"`
	RequireCheckpoint bool `json:"require_checkpoint,omitempty"`
}

// Invocation is what an executing tool gets to see of a call.
type Invocation struct {
	RunID string
	Call  Call
	// Arguments are the final arguments: coerced, validated, and as the
	// before-hook left them.
	Arguments json.RawMessage
	// Options are those of the tool's declaration; nil if it has none.
	Options json.RawMessage
	// Key is the same for every attempt at this call. Pass it to whatever you
	// change, so that a repeat does no harm.
	Key string
	// Effect is the tool's, as the run was shown it.
	Effect Effect
	// Found is true for a call of web_search that names a page which a search of
	// the same run has found.
	Found bool
	// Server and Remote are set for a tool of an MCP server: its declaration and
	// which of its tools the run was shown.
	Server *ServerDeclaration
	Remote *Remote
	// Attempt counts from 1.
	Attempt int
	// Progress reports a partial result. Only the latest counts; it costs
	// nothing when the run does not want any. Never nil.
	Progress func(text string)
}
