package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"go.temporal.io/sdk/activity"

	"errand/activities/usercode"
	"errand/tools"
	"errand/tools/schema"
)

// PrepareInput is a batch in origin order. It enters no history: Prepare is a
// local activity.
type PrepareInput struct {
	Plan   tools.Plan     `json:"plan"`
	Calls  []PreparedCall `json:"calls"`
	Budget Budget         `json:"budget"`
}

// PreparedCall is a call and the tool it names.
type PreparedCall struct {
	Call       tools.Call       `json:"call"`
	Descriptor tools.Descriptor `json:"descriptor"`
}

// PrepareResult answers for every call, in the same order.
type PrepareResult struct {
	Calls []Prepared `json:"calls"`
}

// Prepared is a call that is ready, that waits for a person, or that has ended
// already.
type Prepared struct {
	// Arguments are the final ones, only where they differ from the model's
	// text.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Ask is not nil when a person must approve; it holds the reason.
	Ask *string `json:"ask,omitempty"`
	// Immediate is the outcome of a call that must not run.
	Immediate *tools.Outcome `json:"immediate,omitempty"`
}

const (
	// maxArguments bounds the arguments of one call: they must fit in the
	// answer to a query, beside others.
	maxArguments = 768 << 10
	// maxReason bounds what a hook or a failure has to say.
	maxReason = 16 << 10
)

// Prepare takes every call of a batch through argument shim, coercion, schema,
// capabilities, budget and before-hooks: serially, in origin order, before any
// of them executes.
func (a *Activities) Prepare(ctx context.Context, in PrepareInput) (PrepareResult, error) {
	ctx, stop := a.watchCancel(ctx)
	defer stop()
	runID := activity.GetInfo(ctx).WorkflowExecution.ID
	out := PrepareResult{Calls: make([]Prepared, len(in.Calls))}
	// A local activity gets the workflow's own values, and may be repeated.
	in.Budget.Used = maps.Clone(in.Budget.Used)
	size, work := 0, schema.NewBudget(ctx)
	for i, c := range in.Calls {
		p := a.prepareOne(ctx, runID, in.Plan, c, &in.Budget, work)
		if ctx.Err() != nil {
			return PrepareResult{}, stoppedPreparing(ctx)
		}
		n := tools.EncodedSize(p)
		if size+n > maxAnswer {
			p = refuse(tools.Failed, tools.ErrInvalidArguments,
				fmt.Sprintf("the arguments of %q are too large together with the others of this batch", c.Call.Tool))
			n = tools.EncodedSize(p)
		}
		size += n
		out.Calls[i] = p
	}
	return out, nil
}

func (a *Activities) prepareOne(ctx context.Context, runID string, plan tools.Plan, c PreparedCall, budget *Budget, work *schema.Budget) Prepared {
	arguments, fault := a.arguments(ctx, c, work)
	if fault != nil {
		return Prepared{Immediate: fault}
	}
	if fault = permit(plan, c.Descriptor); fault != nil {
		return Prepared{Immediate: fault}
	}
	if reason := budget.spent(c.Descriptor); reason != "" {
		return refuse(tools.Denied, tools.ErrBudgetExceeded, reason)
	}
	decision, err := a.before(ctx, HookCall{RunID: runID, Call: c.Call, Descriptor: c.Descriptor, Arguments: arguments})
	switch {
	case err != nil:
		usercode.Warn(ctx, "a hook failed", c.Call.Tool, err)
		return refuse(tools.Failed, tools.ErrBlocked, "a hook failed: "+err.Error())
	case decision.Verdict == VerdictBlock:
		return refuse(tools.Denied, tools.ErrBlocked, orDefault(decision.Reason, "the call was blocked"))
	}
	budget.take(c.Descriptor)
	p := Prepared{}
	if decision.Arguments != nil {
		arguments = decision.Arguments
	}
	if n := tools.EncodedSize(arguments); n > maxArguments {
		return refuse(tools.Failed, tools.ErrInvalidArguments,
			fmt.Sprintf("the arguments of %q have %d bytes, at most %d are taken", c.Call.Tool, n, maxArguments))
	}
	if !bytes.Equal(arguments, []byte(c.Call.Arguments)) {
		p.Arguments = arguments
	}
	if decision.Verdict != VerdictAsk && c.Descriptor.Approval {
		decision = Ask(approvalReason(c.Descriptor))
	}
	if decision.Verdict == VerdictAsk {
		reason, _ := tools.Cut(decision.Reason, maxReason)
		p.Ask = &reason
	}
	return p
}

// approvalReason is what a person is told whom the declaration wants asked.
func approvalReason(d tools.Descriptor) string {
	if d.Remote == nil {
		return "every call of this tool needs an approval"
	}
	return fmt.Sprintf("calls of %q on server %q need an approval (require_approval)", d.Remote.Tool, d.Remote.Server)
}

// arguments reads, adapts, coerces and checks the arguments of a call. The calls
// of a batch share the work that their schemas may ask for; what has no room in
// it is refused, and none of it goes on when ctx has ended.
func (a *Activities) arguments(ctx context.Context, c PreparedCall, work *schema.Budget) (json.RawMessage, *tools.Outcome) {
	invalid := func(text string) *tools.Outcome {
		o := tools.Fail(tools.Failed, tools.ErrInvalidArguments, text)
		return &o
	}
	arguments, err := schema.ParseArguments(c.Call.Arguments)
	if err != nil {
		return nil, invalid(err.Error())
	}
	if source, ok := a.sources[c.Descriptor.Source]; ok {
		adapted, err := adapt(source, c.Descriptor.Name, arguments)
		if err != nil {
			usercode.Warn(ctx, "arguments could not be adapted", c.Call.Tool, err)
			return nil, invalid(err.Error())
		}
		arguments = adapted
	}
	if c.Descriptor.Parameters == nil {
		return arguments, nil
	}
	s, err := a.caches.schemas.GetWithin(work, c.Descriptor.Parameters)
	if errors.Is(err, schema.ErrSpent) {
		return nil, invalid(err.Error())
	}
	if err != nil { // discovery refused those of the caller; any other passes unchecked
		return arguments, nil //nolint:nilerr // a schema fault of ours is not the model's
	}
	coerced, _ := s.CoerceWithin(work, arguments)
	if issues := s.CheckWithin(work, coerced); len(issues) > 0 {
		return nil, invalid(issues.Message(c.Call.Tool, arguments))
	}
	return coerced, nil
}

func adapt(source Source, name string, arguments json.RawMessage) (out json.RawMessage, err error) {
	defer usercode.Recover(&err)
	return source.Prepare(name, arguments)
}

// permit enforces the plan before anything is opened for the call. Access goes
// first if both are violated.
func permit(plan tools.Plan, d tools.Descriptor) *tools.Outcome {
	var o tools.Outcome
	switch {
	case plan.ReadOnly && d.Capabilities.Writes:
		o = tools.Fail(tools.Denied, tools.ErrAccessDenied,
			fmt.Sprintf("the run is read-only and %q writes: it was not run", d.Name))
	case plan.RequireCheckpoint && d.Capabilities.Writes && !d.Capabilities.Checkpointable:
		o = tools.Fail(tools.Denied, tools.ErrCheckpointRequired,
			fmt.Sprintf("the run requires checkpoints and %q has none: it was not run", d.Name))
	default:
		return nil
	}
	return &o
}

func refuse(status tools.OutcomeStatus, errorType, message string) Prepared {
	short, _ := tools.Cut(message, maxReason)
	o := tools.Fail(status, errorType, short)
	return Prepared{Immediate: &o}
}

func orDefault(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// Budget is what the gateway-owned calls of a run may still use. Client-owned
// calls cost nothing.
type Budget struct {
	// Calls is what is left of max_tool_calls; negative is no bound.
	Calls int `json:"calls"`
	// Used counts the calls of tools that have a bound of their own, by
	// identity.
	Used map[string]int `json:"used,omitempty"`
}

// spent says why a call does not fit any more; empty when it does.
func (b *Budget) spent(d tools.Descriptor) string {
	switch {
	case d.Owner != tools.OwnedByGateway:
		return ""
	case b.Calls == 0:
		return "the run's max_tool_calls is used up: this call was not run; answer with what you have"
	case d.MaxUses > 0 && b.Used[d.Identity().String()] >= d.MaxUses:
		return fmt.Sprintf("%s may be used %d times in a run (max_uses): this call was not run; answer with what you have",
			d.Name, d.MaxUses)
	}
	return ""
}

// take counts a call that was let through.
func (b *Budget) take(d tools.Descriptor) {
	if d.Owner != tools.OwnedByGateway {
		return
	}
	if b.Calls > 0 {
		b.Calls--
	}
	if d.MaxUses > 0 {
		if b.Used == nil {
			b.Used = map[string]int{}
		}
		b.Used[d.Identity().String()]++
	}
}
