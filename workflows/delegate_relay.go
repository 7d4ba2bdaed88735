package workflows

import (
	"encoding/json"
	"slices"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
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
func (r *run) tellOrigin(ctx workflow.Context, c *actions.Call) {
	d, parent := r.Request.Delegated, workflow.GetInfo(ctx).ParentWorkflowExecution
	if d == nil || parent == nil {
		return
	}
	news := contract.DelegatedNews{Round: d.Round, Index: d.Index, From: r.id, ExpiresAt: c.Expiry}
	if c.Settled() {
		news.Ended, news.Action.ActionID = c.Outcome.Status, c.Action.ID
	} else {
		news.Action = r.manifest(c.Action)
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
	if news.Round != r.Round || news.Index < 0 || news.Index >= len(r.Running) {
		return
	}
	c := r.Running[news.Index]
	run := r.delegated.children[c]
	if c.Settled() || run == nil || run.over || run.id != news.From {
		return
	}
	known, err := r.Ledger.Find(relayedID(c.Round, c.Index, news.Action.ActionID), "")
	switch {
	case news.Ended != "" && err != nil:
		run.closed[news.Action.ActionID] = true // the two reports have overtaken each other
	case news.Ended != "":
		if !known.Settled() {
			r.settle(ctx, known.Call(), endedElsewhere(news.Ended))
		}
	case err != nil && !run.closed[news.Action.ActionID] && !r.stopsSoon():
		r.handOverFor(ctx, c, run, news)
	}
}

// handOverFor opens the action of a delegated run's call in this run.
func (r *run) handOverFor(ctx workflow.Context, c *actions.Call, from *child, news contract.DelegatedNews) {
	m := news.Action
	p := &actions.Call{
		Call: tools.Call{
			ID: m.ToolCallID, Round: c.Round, Index: c.Index, Tool: m.Tool, Namespace: m.Namespace, Arguments: string(m.Args),
		},
		Kind: item.TypeFunctionCall, Seen: workflow.Now(ctx), Begun: true, Expiry: news.ExpiresAt,
	}
	r.delegated.relays[p] = &relay{child: from, action: m.ActionID}
	if m.Input != nil {
		p.Kind, p.Arguments = item.TypeCustomCall, translate.WrapInput(*m.Input)
	}
	p.Descriptor = r.descriptor(p.Identity())
	r.Ledger.OpenAs(relayedID(c.Round, c.Index, m.ActionID), p)
	r.refresh(ctx)
	r.record(ctx, contract.Event{
		Type: contract.EventManifest, ToolCallID: p.ID, Tool: p.Tool, Owner: tools.OwnedByClient,
		ActionID: p.Action.ID, Size: len(p.Arguments),
	})
	r.tellOrigin(ctx, p)
}

// passOn takes the end of a client-owned call to the other runs that it concerns:
// the answer to the run whose call it is, and the news to the run above.
func (r *run) passOn(ctx workflow.Context, c *actions.Call) {
	if c.Action == nil {
		return
	}
	r.tellOrigin(ctx, c)
	relay := r.delegated.relays[c]
	if relay == nil {
		return
	}
	delete(r.delegated.relays, c)
	if o := c.Outcome; !relay.child.over && c.Action.Digest != "" {
		text, err := json.Marshal(o.Output)
		if err == nil { // a string always encodes
			relay.child.tell(ctx, contract.ToolOutput, contract.Answer{ActionID: relay.action, Output: text, IsError: !o.Succeeded()})
		}
	}
}

// closeRelayed closes what a delegated run has left open.
func (r *run) closeRelayed(ctx workflow.Context, ended *child) {
	for _, a := range slices.Clone(r.Ledger.OpenActions()) {
		if relay := r.delegated.relays[a.Call()]; relay != nil && relay.child == ended {
			r.settle(ctx, a.Call(), endedElsewhere(tools.Cancelled))
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
