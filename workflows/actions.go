package workflows

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// handOver opens the actions and approvals of a group. The run's status says
// pending_action before anything is published.
func (r *run) handOver(ctx workflow.Context, group actions.Batch) {
	var actions, approvals actions.Batch
	for _, c := range group.Open() {
		switch {
		case c.Approval != nil && !c.Approval.Settled:
			r.limit(ctx, c)
			approvals = append(approvals, c)
		case c.Descriptor.Owner == tools.OwnedByClient && c.Action == nil:
			r.limit(ctx, c)
			c.Action = r.Ledger.Open(c)
			actions = append(actions, c)
		}
	}
	r.refresh(ctx)
	for _, c := range approvals {
		r.showApproval(c)
		r.record(ctx, contract.Event{
			Type: contract.EventApprovalAsked, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner,
			ApprovalID: c.Approval.ID, Reason: short(c.Approval.Reason), Size: len(c.Arguments),
		})
	}
	for _, c := range actions {
		r.record(ctx, contract.Event{
			Type: contract.EventManifest, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner,
			ActionID: c.Action.ID, Size: len(c.Arguments),
		})
		r.tellOrigin(ctx, c)
	}
}

// refresh sets the run's status by what it waits for, and the summary that the
// Web UI shows.
func (r *run) refresh(ctx workflow.Context) {
	switch {
	case r.pending() > 0:
		r.Report.Status = contract.PendingAction
	case r.Report.Status == contract.PendingAction:
		r.Report.Status = contract.InProgress
	}
	r.showDetails(ctx)
}

func (r *run) manifest(a *actions.Action) contract.Manifest {
	m := contract.Manifest{
		Type: contract.ManifestType, RunID: r.id, ActionID: a.ID, ToolCallID: a.Call().ID,
		Tool: a.Call().Tool, Namespace: a.Call().Namespace,
	}
	if a.Call().Kind == item.TypeCustomCall {
		input := translate.UnwrapInput(a.Call().Arguments)
		m.Input = &input
		return m
	}
	m.Args = json.RawMessage(a.Call().Arguments)
	return m
}

// approved waits for a person if the call needs one, and tells whether the
// call goes on.
func (r *run) approved(ctx workflow.Context, c *actions.Call) bool {
	if c.Approval == nil {
		return true
	}
	p := c.Approval
	if workflow.Await(ctx, func() bool { return p.Settled }) != nil {
		r.settle(ctx, c, r.notDone())
		return false
	}
	if c.Settled() {
		return false
	}
	if p.Approved {
		r.Ledger.Spend(c)
		return true
	}
	return false
}

// appendAnswer takes a model's answer into the conversation and reads its calls.
// Calls that must not run have their outcome already.
func (r *run) appendAnswer(ctx workflow.Context, answer activities.InferResult) actions.Batch {
	var b actions.Batch
	for _, raw := range answer.Items {
		index := r.Conversation.AddHeld(raw)
		head, err := item.Peek(raw)
		if err != nil || !item.IsCall(head.Type) {
			r.Report.Publish(r.Report.Cited(raw))
			r.record(ctx, contract.Event{Type: contract.EventMessage, Item: &index, Size: len(raw)})
			continue
		}
		c := r.readCall(ctx, raw, head, len(b))
		r.refuse(c, answer.Finish)
		switch {
		case c.Descriptor.Owner == tools.OwnedByClient:
			r.Report.Publish(raw)
		case !c.Settled():
			r.show(c)
		}
		b = append(b, c)
	}
	return b
}

func (r *run) readCall(ctx workflow.Context, raw json.RawMessage, head item.Head, index int) *actions.Call {
	var body struct {
		Arguments string `json:"arguments"`
		Input     string `json:"input"`
	}
	_ = json.Unmarshal(raw, &body) // the infer activity has made both text
	if head.Type == item.TypeCustomCall {
		body.Arguments = translate.WrapInput(body.Input)
	}
	c := &actions.Call{
		Call: tools.Call{
			ID: head.CallID, Round: r.Round, Index: index,
			Tool: head.Name, Namespace: head.Namespace, Arguments: body.Arguments,
		},
		Kind: head.Type, Seen: workflow.Now(ctx),
	}
	c.Descriptor = r.descriptor(c.Identity())
	return c
}

// descriptor is what a call to a name runs. One to a name that nobody declared
// is the client's, if the run says so, and nobody's otherwise.
func (r *run) descriptor(id tools.Identity) tools.Descriptor {
	if tool, ok := r.registry.Find(id); ok {
		return tool
	}
	if r.Request.Run.UndeclaredTools == contract.UndeclaredClient && id.Name != "" {
		return tools.ClientDescriptor(tools.Declaration{Type: tools.TypeFunction, Name: id.Name})
	}
	return tools.Descriptor{}
}

// refuse settles a call that is not even prepared: of an answer that was cut,
// beyond the batch limit, or to a name that nobody declared.
func (r *run) refuse(c *actions.Call, stop model.FinishReason) {
	var o tools.Outcome
	switch {
	case stop == model.FinishLength || stop == model.FinishFilter:
		o = tools.Fail(tools.Failed, tools.ErrTruncated,
			"the answer was cut before it was whole ("+string(stop)+"), so this call was not run: issue it again, shorter if need be")
	case c.Index >= contract.MaxBatch:
		o = tools.Fail(tools.Denied, tools.ErrBudgetExceeded,
			fmt.Sprintf("at most %d calls of one answer are run: issue this one again", contract.MaxBatch))
	case c.Descriptor.Owner == "":
		o = tools.Fail(tools.Failed, tools.ErrUnknownTool, r.unknown(c.Identity().String()))
	case c.Descriptor.Owner == tools.OwnedByGateway && c.Descriptor.Source == "":
		o = tools.Fail(tools.Failed, tools.ErrNoHandler,
			fmt.Sprintf("tool %q has no executor on this worker: do not call it again", c.Tool))
	default:
		return
	}
	c.Outcome = &o
}

// maxNamed bounds the tools that an outcome names.
const maxNamed = 50

func (r *run) unknown(name string) string {
	var known []string
	for _, d := range r.registry.All() {
		if !d.Hidden {
			known = append(known, d.ModelName)
		}
	}
	switch {
	case len(known) == 0:
		return fmt.Sprintf("there is no tool %q: this run has no tools", name)
	case len(known) > maxNamed:
		known = append(known[:maxNamed:maxNamed], "…")
	}
	return fmt.Sprintf("there is no tool %q; the tools are: %s", name, strings.Join(known, ", "))
}
