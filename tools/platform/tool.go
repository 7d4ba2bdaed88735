package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/tools"
	"errand/tools/schema"
)

// Tool is a Go function that a model may call. Name and Execute are required.
type Tool struct {
	// Name is what requests declare and the model sees: ^[A-Za-z0-9_-]{1,64}$.
	Name string
	// Description tells the model what the tool does and when to use it. Empty
	// leaves the model with the name alone.
	Description string
	// Parameters are the JSON Schema of the arguments. Empty accepts any object.
	Parameters json.RawMessage
	// OutputSchema is the JSON Schema of the output; one that does not fit is a
	// warning. Empty leaves the output unchecked.
	OutputSchema json.RawMessage
	// Effect says what a repeated call would do, and so what happens when a
	// worker is lost in the middle of one. Empty is read for a ReadOnly tool,
	// else once: it is never repeated.
	Effect tools.Effect
	// ReadOnly tools change nothing, so that a read-only run may use them. A
	// tool that is not ReadOnly counts as writing, unless its effect is read.
	ReadOnly bool
	// Checkpointable says that what the tool changes can be rolled back. A run
	// that requires checkpoints refuses all others.
	Checkpointable bool
	// ParallelSafe tools may run beside themselves. Otherwise two calls of the
	// tool in one batch take turns.
	ParallelSafe bool
	// Sequential makes every batch that contains the tool run one call after
	// the other. It excludes ParallelSafe.
	Sequential bool
	// Timeout bounds one execution. 0 means the run's tool_timeout.
	Timeout time.Duration
	// PrepareArguments adapts the arguments before they are coerced and
	// checked, for example to keep an old spelling alive. Nil leaves them as
	// they are; an error is the outcome of the call.
	PrepareArguments func(arguments json.RawMessage) (json.RawMessage, error)
	// Resource is what the tool needs opened for the run; Opened has it then. Nil
	// needs nothing.
	Resource *Resource
	// Reconcile says what became of a call whose worker was lost, by its key. It
	// is asked before the call is repeated, or told to the model as unknown. Nil
	// leaves it to the effect.
	Reconcile func(ctx context.Context, call tools.Invocation) (tools.Finding, error)
	// Execute does the work. An error is a failure that the model reads, so its
	// message should say what to do. It must return when ctx ends.
	Execute func(ctx context.Context, call tools.Invocation) (tools.Output, error)
}

// descriptor resolves the defaults of t.
func (t Tool) descriptor() tools.Descriptor {
	effect := t.Effect
	switch {
	case effect != "":
	case t.ReadOnly:
		effect = tools.EffectRead
	default:
		effect = tools.EffectOnce
	}
	d := tools.Descriptor{
		ModelName: t.Name, Name: t.Name, Type: tools.TypePlatform, Owner: tools.OwnedByGateway,
		Description: t.Description, Parameters: t.Parameters, OutputSchema: t.OutputSchema,
		Capabilities: tools.Capabilities{
			Writes:         !t.ReadOnly && effect != tools.EffectRead,
			Checkpointable: t.Checkpointable,
		},
		ParallelSafe: t.ParallelSafe,
		GatewayTool: tools.GatewayTool{
			Source: tools.SourcePlatform, Effect: effect, Reconciles: t.Reconcile != nil,
			Sequential: t.Sequential, Timeout: t.Timeout,
		},
	}
	if t.Resource != nil {
		d.Source, d.Scope = t.Resource.source(), tools.ScopeRun
	}
	return d
}

// check records everything wrong with t under its path.
func (t Tool) check(path string, faults *tools.Faults) {
	if !tools.ValidName(t.Name) {
		faults.Add(path+".name", fmt.Sprintf("%q is not a tool name: use 1 to %d letters, digits, _ or -", t.Name, tools.MaxName))
	}
	if t.Execute == nil {
		faults.Add(path+".execute", fmt.Sprintf("tool %q has no Execute function", t.Name))
	}
	if t.Resource != nil {
		t.Resource.check(path+".resource", faults)
	}
	switch {
	case t.Effect != "" && !t.Effect.Valid():
		faults.Add(path+".effect", fmt.Sprintf("tool %q: unknown effect %q: use %s, %s or %s",
			t.Name, t.Effect, tools.EffectRead, tools.EffectIdempotent, tools.EffectOnce))
	case t.ReadOnly && t.Effect == tools.EffectOnce:
		faults.Add(path+".effect", fmt.Sprintf("tool %q: a tool that changes nothing can be repeated: leave out ReadOnly or the effect %q",
			t.Name, t.Effect))
	}
	if t.Sequential && t.ParallelSafe {
		faults.Add(path+".sequential", fmt.Sprintf("tool %q is both Sequential and ParallelSafe: choose one", t.Name))
	}
	switch {
	case t.Timeout < 0:
		faults.Add(path+".timeout", fmt.Sprintf("tool %q: %s is negative: use 0 for the time-out of the run", t.Name, t.Timeout))
	case t.Timeout > tools.MaxDuration:
		faults.Add(path+".timeout", fmt.Sprintf("tool %q: %s", t.Name, tools.DurationFault(t.Timeout)))
	}
	if _, err := schema.Compile(t.Parameters); err != nil {
		faults.Add(path+".parameters", fmt.Sprintf("tool %q: %v", t.Name, err))
	}
	if _, err := schema.Compile(t.OutputSchema); err != nil {
		faults.Add(path+".output_schema", fmt.Sprintf("tool %q: %v", t.Name, err))
	}
}
