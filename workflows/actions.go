package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/workflow"

	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// handOver opens the actions and approvals of a group. The run's status says
// pending_action before anything is published (PD-60).
func (r *run) handOver(ctx workflow.Context, group batch) {
	var actions, approvals batch
	for _, c := range group.open() {
		switch {
		case c.approval != nil && !c.approval.settled:
			r.limit(ctx, c)
			approvals = append(approvals, c)
		case c.tool.Owner == tools.OwnedByClient && c.action == nil:
			r.limit(ctx, c)
			c.action = r.ledger.hand(c)
			actions = append(actions, c)
		}
	}
	r.refresh(ctx)
	for _, c := range approvals {
		r.showApproval(c)
		r.record(ctx, contract.Event{
			Type: contract.EventApprovalAsked, ToolCallID: c.ID, Tool: c.Tool, Owner: c.tool.Owner,
			ApprovalID: c.approval.id, Reason: short(c.approval.reason), Size: len(c.Arguments),
		})
	}
	for _, c := range actions {
		r.record(ctx, contract.Event{
			Type: contract.EventManifest, ToolCallID: c.ID, Tool: c.Tool, Owner: c.tool.Owner,
			ActionID: c.action.id, Size: len(c.Arguments),
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

func (r *run) manifest(a *action) contract.Manifest {
	m := contract.Manifest{
		Type: contract.ManifestType, RunID: r.id, ActionID: a.id, ToolCallID: a.call.ID,
		Tool: a.call.Tool, Namespace: a.call.Namespace,
	}
	if a.call.kind == item.TypeCustomCall {
		input := translate.UnwrapInput(a.call.Arguments)
		m.Input = &input
		return m
	}
	m.Args = json.RawMessage(a.call.Arguments)
	return m
}

// approved waits for a person if the call needs one, and tells whether the
// call goes on.
func (r *run) approved(ctx workflow.Context, c *call) bool {
	if c.approval == nil {
		return true
	}
	p := c.approval
	if workflow.Await(ctx, func() bool { return p.settled }) != nil {
		r.settle(ctx, c, r.notDone())
		return false
	}
	if c.settled() {
		return false
	}
	if p.approved {
		r.ledger.spend(c)
		return true
	}
	return false
}
