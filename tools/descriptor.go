package tools

import (
	"encoding/json"
	"time"
)

// Ownership says who executes a call.
type Ownership string

const (
	// OwnedByGateway calls are executed by the worker.
	OwnedByGateway Ownership = "gateway"
	// OwnedByClient calls are executed by whoever started the run.
	OwnedByClient Ownership = "client"
)

// Effect says what repeating a call would do. It decides what happens when a
// worker dies in the middle of one.
type Effect string

const (
	// EffectRead changes nothing; a lost call is repeated.
	EffectRead Effect = "read"
	// EffectIdempotent may be repeated with the same key without harm.
	EffectIdempotent Effect = "idempotent"
	// EffectOnce must never run twice. It is the default of a tool that
	// declares nothing: a lost call becomes OutcomeUnknown.
	EffectOnce Effect = "once"
)

// Repeatable tells whether a lost call may be executed again.
func (e Effect) Repeatable() bool { return e == EffectRead || e == EffectIdempotent }

// Valid tells whether e is one of the three effects.
func (e Effect) Valid() bool {
	return e == EffectRead || e == EffectIdempotent || e == EffectOnce
}

// Capabilities are what a tool says it can do to the world (CL-6).
type Capabilities struct {
	// Writes is true for a tool that changes anything, and for one that does
	// not say.
	Writes bool `json:"writes"`
	// Checkpointable is true when what the tool changes can be rolled back.
	Checkpointable bool `json:"checkpointable,omitempty"`
}

// Descriptor is one callable name after discovery and normalisation.
type Descriptor struct {
	// ModelName is what the model sees: ^[A-Za-z0-9_-]{1,64}$.
	ModelName string `json:"name"`
	// Name is what the caller declared and gets back, Namespace the group that it
	// was declared in.
	Name      string `json:"public,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Type is the declaration type, for example "function" or "platform".
	Type string `json:"type"`
	// Owner decides who executes; nothing else does (VL-5).
	Owner Ownership `json:"owner"`
	// Source names where a gateway-owned tool comes from; empty for a client.
	Source string `json:"source,omitempty"`

	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Strict       *bool           `json:"strict,omitempty"`

	Capabilities Capabilities `json:"capabilities"`
	Effect       Effect       `json:"effect,omitempty"`
	// Scope is that of the source; empty is none. Tools of scope run are executed
	// by the source's session for the run.
	Scope Scope `json:"scope,omitempty"`
	// Remote is the tool of a server that this stands for; nil for any other.
	Remote *Remote `json:"remote,omitempty"`
	// Approval makes every call wait for a person.
	Approval bool `json:"approval,omitempty"`
	// Reconciles tools can say what became of a lost attempt; they are asked
	// before it is repeated, or told to the model as unknown.
	Reconciles bool `json:"reconciles,omitempty"`
	// ParallelSafe tools may run beside themselves; others take turns by name
	// (VL-16).
	ParallelSafe bool `json:"parallel_safe,omitempty"`
	// Sequential makes any batch that contains the tool sequential (PI-5).
	Sequential bool `json:"sequential,omitempty"`
	// Hidden tools are known to the registry and not shown to the model: nothing
	// on the worker could execute them.
	Hidden bool `json:"hidden,omitempty"`
	// MaxUses bounds the calls of the tool in a run; 0 is no bound.
	MaxUses int `json:"max_uses,omitempty"`
	// Timeout bounds one execution in place of the run's own; 0 keeps that.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Options are those of the declaration; every call of the tool takes them
	// to its source.
	Options json.RawMessage `json:"options,omitempty"`
	// ClientTimeout bounds the wait for a client in place of the run's own
	// bound: nil keeps that, 0 is none.
	ClientTimeout *time.Duration `json:"client_timeout,omitempty"`
}

// Label is what public items call the tool's server: the label of an MCP
// server, or the source.
func (d Descriptor) Label() string {
	if d.Remote != nil {
		return d.Remote.Server
	}
	return d.Source
}

// Identity is the public name with its namespace.
func (d Descriptor) Identity() Identity { return Identity{d.Namespace, d.Name} }
