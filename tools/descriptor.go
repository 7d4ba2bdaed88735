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

// Capabilities are what a tool says it can do to the world.
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
	// Owner decides who executes; nothing else does.
	Owner Ownership `json:"owner"`

	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Capabilities Capabilities    `json:"capabilities"`
	// ParallelSafe tools may run beside themselves; others take turns by name.
	ParallelSafe bool `json:"parallel_safe,omitempty"`

	// ClientTool is empty unless a client owns the tool, GatewayTool unless the
	// worker does.
	ClientTool
	GatewayTool
}

// ClientTool is what only descriptors of client-owned tools have.
type ClientTool struct {
	Strict *bool `json:"strict,omitempty"`
	// ClientTimeout bounds the wait for a client in place of the run's own
	// bound: nil keeps that, 0 is none.
	ClientTimeout *time.Duration `json:"client_timeout,omitempty"`
}

// GatewayTool is what only descriptors of gateway-owned tools have.
type GatewayTool struct {
	// Source names where the tool comes from; empty if nobody executes it.
	Source string `json:"source,omitempty"`
	// Scope is that of the source; empty is none. Tools of scope run are executed
	// by the source's session for the run.
	Scope Scope `json:"scope,omitempty"`
	// Remote is the tool of a server that this stands for; nil for any other.
	Remote *Remote `json:"remote,omitempty"`
	// Options are those of the declaration; every call of the tool takes them
	// to its source.
	Options json.RawMessage `json:"options,omitempty"`

	Effect Effect `json:"effect,omitempty"`
	// Reconciles tools can say what became of a lost attempt; they are asked
	// before it is repeated, or told to the model as unknown.
	Reconciles bool `json:"reconciles,omitempty"`
	// Sequential makes any batch that contains the tool sequential.
	Sequential bool `json:"sequential,omitempty"`
	// Timeout bounds one execution in place of the run's own; 0 keeps that.
	Timeout time.Duration `json:"timeout,omitempty"`

	// Approval makes every call wait for a person.
	Approval bool `json:"approval,omitempty"`
	// MaxUses bounds the calls of the tool in a run; 0 is no bound.
	MaxUses int `json:"max_uses,omitempty"`
	// Hidden tools are known to the registry and not shown to the model: nothing
	// on the worker could execute them.
	Hidden bool `json:"hidden,omitempty"`
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

// customParameters are what the model sees of a custom tool: one string.
var customParameters = json.RawMessage(
	`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// ClientDescriptor is the descriptor of a function or custom tool, which whoever
// started the run executes, whatever has the same name elsewhere.
func ClientDescriptor(d Declaration) Descriptor {
	out := Descriptor{
		ModelName: FlatName(d.Identity()), Name: d.Name, Namespace: d.Namespace, Type: d.Type,
		Owner: OwnedByClient, Description: d.Description, Parameters: d.Parameters,
		OutputSchema: d.OutputSchema, ParallelSafe: true,
		Capabilities: Capabilities{Writes: d.Writes == nil || *d.Writes, Checkpointable: d.Checkpointable},
		ClientTool:   ClientTool{Strict: d.Strict, ClientTimeout: d.ClientTimeout},
	}
	if d.Type == TypeCustom {
		out.Parameters = customParameters
		out.Description = describeFormat(d.Description, d.Format)
	}
	return out
}

// describeFormat tells the model what the text must look like.
func describeFormat(description string, f *Format) string {
	if f == nil || f.Type != "grammar" {
		return description
	}
	return joinDescriptions(description, "The input must follow this "+f.Syntax+" grammar:\n"+f.Definition)
}

// HostedDescriptor is the descriptor of a gateway-owned tool that no worker has
// an executor for: it is in the registry, so that a call to it is an error
// outcome and never a silent drop.
func HostedDescriptor(d Declaration) Descriptor {
	return Descriptor{
		ModelName: d.Name, Name: d.Name, Type: d.Type, Owner: OwnedByGateway, ParallelSafe: true,
		Capabilities: Capabilities{Writes: d.Type != TypeWebSearch && d.Type != TypeFileSearch},
		GatewayTool:  GatewayTool{Effect: EffectRead, MaxUses: d.MaxUses, Hidden: true},
	}
}
