package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// notAsked is why a delegated run does not ask a person.
const notAsked = "this call needs the approval of a person, and a delegated run asks nobody: leave it to the agent that gave the task"

// relay ties a call that this run has handed over to the delegated run whose call
// it is.
type relay struct {
	child  *child
	action string
}

// relayedID is the id of the action here. It starts with the place of the call of
// delegate.
func relayedID(round, index int, action string) string {
	return contract.ActionID(round, index) + "_" + action
}

// tellOrigin reports an action of a delegated run to the run that started it. Of
// one that has ended only how it ended.
func (r *run) tellOrigin(ctx workflow.Context, c *call) {
	d, parent := r.Request.Delegated, workflow.GetInfo(ctx).ParentWorkflowExecution
	if d == nil || parent == nil {
		return
	}
	news := contract.DelegatedNews{Round: d.Round, Index: d.Index, From: r.id, ExpiresAt: c.expiry}
	if c.settled() {
		news.Ended, news.Action.ActionID = c.outcome.Status, c.action.id
	} else {
		news.Action = r.manifest(c.action)
	}
	detached, _ := workflow.NewDisconnectedContext(ctx)
	told := workflow.SignalExternalWorkflow(detached, parent.ID, "", contract.SignalDelegated, news)
	r.execution.telling++
	workflow.Go(detached, func(ctx workflow.Context) {
		_ = told.Get(ctx, nil) // a run that is gone has had this one cancelled
		r.execution.telling--
	})
}

// takeDelegated hands over what delegated runs have handed over.
func (r *run) takeDelegated(ctx workflow.Context) {
	channel := workflow.GetSignalChannel(ctx, contract.SignalDelegated)
	for {
		var payload converter.RawValue
		channel.Receive(ctx, &payload)
		r.execution.signals++
		var news contract.DelegatedNews
		if json.Unmarshal(payload.Payload().GetData(), &news) == nil {
			r.relayed(ctx, news)
		}
	}
}

// relayed takes one report. What is not from a delegated run that is running is
// late, or nobody's.
func (r *run) relayed(ctx workflow.Context, news contract.DelegatedNews) {
	if news.Round != r.Round || news.Index < 0 || news.Index >= len(r.running) {
		return
	}
	c := r.running[news.Index]
	if c.settled() || c.child == nil || c.child.over || c.child.id != news.From {
		return
	}
	known, err := r.ledger.findAction(relayedID(c.Round, c.Index, news.Action.ActionID), "")
	switch {
	case news.Ended != "" && err != nil:
		c.child.closed[news.Action.ActionID] = true // the two reports have overtaken each other
	case news.Ended != "":
		r.settle(ctx, known.call, endedElsewhere(news.Ended))
	case err != nil && !c.child.closed[news.Action.ActionID] && !r.stopsSoon():
		r.handOverFor(ctx, c, news)
	}
}

// handOverFor opens the action of a delegated run's call in this run.
func (r *run) handOverFor(ctx workflow.Context, c *call, news contract.DelegatedNews) {
	m := news.Action
	p := &call{
		Call: tools.Call{
			ID: m.ToolCallID, Round: c.Round, Index: c.Index, Tool: m.Tool, Namespace: m.Namespace, Arguments: string(m.Args),
		},
		kind: item.TypeFunctionCall, seen: workflow.Now(ctx), begun: true, expiry: news.ExpiresAt,
		relay: &relay{child: c.child, action: m.ActionID},
	}
	if m.Input != nil {
		p.kind, p.Arguments = item.TypeCustomCall, translate.WrapInput(*m.Input)
	}
	p.tool = r.descriptor(p.Identity())
	p.action = r.ledger.hand(p)
	p.action.id = relayedID(c.Round, c.Index, m.ActionID)
	r.refresh(ctx)
	r.record(ctx, contract.Event{
		Type: contract.EventManifest, ToolCallID: p.ID, Tool: p.Tool, Owner: tools.OwnedByClient,
		ActionID: p.action.id, Size: len(p.Arguments),
	})
	r.tellOrigin(ctx, p)
}

// passOn takes the end of a client-owned call to the other runs that it concerns:
// the answer to the run whose call it is, and the news to the run above.
func (r *run) passOn(ctx workflow.Context, c *call) {
	if c.action == nil {
		return
	}
	r.tellOrigin(ctx, c)
	if c.relay == nil {
		return
	}
	if o := c.outcome; !c.relay.child.over && c.action.digest != "" {
		text, err := json.Marshal(o.Output)
		if err == nil { // a string always encodes
			c.relay.child.tell(ctx, contract.ToolOutput, contract.Answer{ActionID: c.relay.action, Output: text, IsError: !o.Succeeded()})
		}
	}
	c.joined, c.Arguments, c.outcome = true, "", &tools.Outcome{Status: c.outcome.Status}
}

// closeRelayed closes what a delegated run has left open.
func (r *run) closeRelayed(ctx workflow.Context, ended *child) {
	for _, a := range append([]*action{}, r.ledger.open...) {
		if a.call.relay != nil && a.call.relay.child == ended {
			r.settle(ctx, a.call, endedElsewhere(tools.Cancelled))
		}
	}
}

// endedElsewhere is the outcome here of a call that has ended in its own run.
func endedElsewhere(status tools.OutcomeStatus) tools.Outcome {
	if status == tools.Succeeded {
		return tools.Outcome{Status: status}
	}
	kind := tools.ErrCancelled
	if status == tools.Expired {
		kind = tools.ErrExpired
	}
	return tools.Fail(status, kind, "the call has ended in the delegated run")
}
