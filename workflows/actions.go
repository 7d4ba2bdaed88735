package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"

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
