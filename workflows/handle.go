package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// handle takes a group of calls from prepare to their results in the
// conversation. It returns nil when every one of them is settled, also when the
// run is cancelled meanwhile; or earlier the ending of a run that leaves this
// execution. In the next one it goes on where it was.
func (r *run) handle(ctx workflow.Context, group batch) *ending {
	if len(group) == 0 || group[0].joined {
		return nil
	}
	if !group[0].begun {
		r.start(ctx, group)
	}
	r.executeAll(ctx, group)
	end := r.await(ctx, group)
	if end == nil || end.next == nil {
		r.join(ctx, group)
	}
	return end
}

// start takes a group up to where its calls are in somebody's hands.
func (r *run) start(ctx workflow.Context, group batch) {
	for _, c := range group {
		r.record(ctx, contract.Event{Type: contract.EventToolStart, ToolCallID: c.ID, Tool: c.Tool, Owner: c.tool.Owner, Size: len(c.Arguments)})
	}
	for _, c := range group {
		c.begun = true
		if c.settled() {
			r.ended(ctx, c)
		}
	}
	r.prepare(ctx, group)
	r.skip(ctx, group)
	r.handOver(ctx, group)
}

// prepare takes the open calls of a group through the stages before
// execution.
func (r *run) prepare(ctx workflow.Context, group batch) {
	open := group.open()
	if len(open) == 0 || r.skip(ctx, group) {
		return
	}
	in := activities.PrepareInput{Plan: r.Request.Run.Plan(), Budget: r.budget()}
	for _, c := range open {
		in.Calls = append(in.Calls, activities.PreparedCall{Call: c.Call, Descriptor: c.tool})
	}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions(summary("round %d · prepare %s", r.Round, count(len(open), "call"))))
	out, err := performLocal(ctx, acts.Prepare, in)
	if isType(err, activities.TypeRunStops) {
		awaitCancel(ctx)
	}
	for i, c := range open {
		switch {
		case err != nil:
			r.settle(ctx, c, r.prepareFailed(ctx, err))
		case i >= len(out.Calls):
			r.settle(ctx, c, tools.Fail(tools.Failed, tools.ErrExecutionFailed, "the call was not prepared"))
		default:
			r.prepared(ctx, c, out.Calls[i])
		}
	}
}

func (r *run) prepareFailed(ctx workflow.Context, err error) tools.Outcome {
	if ctx.Err() != nil || temporal.IsCanceledError(err) || isType(err, activities.TypeRunStops) {
		return r.notDone()
	}
	return tools.Fail(tools.Failed, tools.ErrExecutionFailed, "the call could not be prepared: "+err.Error())
}

func (r *run) prepared(ctx workflow.Context, c *call, p activities.Prepared) {
	if p.Arguments != nil {
		c.Arguments = string(p.Arguments)
	}
	switch {
	case p.Immediate != nil:
		r.settle(ctx, c, *p.Immediate)
	case p.Ask != nil && r.Request.Delegated != nil:
		r.settle(ctx, c, tools.Fail(tools.Denied, tools.ErrBlocked, notAsked))
	case p.Ask != nil:
		c.approval = r.ledger.ask(c, *p.Ask)
	default:
		r.ledger.spend(c)
	}
}

// budget is what the gateway-owned calls may still use.
func (r *run) budget() activities.Budget {
	b := activities.Budget{Calls: -1, Used: r.ledger.used}
	if r.Request.MaxToolCalls > 0 {
		b.Calls = max(0, r.Request.MaxToolCalls-r.ledger.spent)
	}
	return b
}

// await waits until every call of the group is settled. A cancelled run stops
// waiting for clients and people at once, and for running tools until they
// have ended.
func (r *run) await(ctx workflow.Context, group batch) *ending {
	stop := r.watchDeadlines(ctx, group)
	end := r.awaitOthers(ctx, group)
	stop()
	if group.settled() || (end != nil && end.next != nil) {
		return end
	}
	r.dropWaiting(ctx, group)
	detached, _ := workflow.NewDisconnectedContext(ctx)
	if !r.lastWait(detached, group.settled) {
		for _, c := range group.open() {
			r.settle(ctx, c, leftOutcome(c))
		}
	}
	return end
}

// skip settles the open calls of a run in which nothing more may begin.
func (r *run) skip(ctx workflow.Context, group batch) bool {
	if !r.stopsSoon() || r.Stopped.Mode == contract.StopNow {
		return false
	}
	for _, c := range group.open() {
		r.settle(ctx, c, r.notDone())
	}
	return true
}

// awaitOthers waits until every call of the group is settled, or until the run
// leaves this execution. It can leave while all that it waits for is a client
// or a person.
func (r *run) awaitOthers(ctx workflow.Context, group batch) *ending {
	for ctx.Err() == nil { // Await looks at its condition first
		err := workflow.Await(ctx, func() bool { return group.settled() || (group.resting() && r.due(ctx)) })
		if err != nil || group.settled() {
			return nil
		}
		if end := r.leave(ctx, group.resting); end != nil {
			return end
		}
	}
	return nil
}

// settle gives a call its outcome; the first one stays.
func (r *run) settle(ctx workflow.Context, c *call, o tools.Outcome) {
	if c.settled() {
		return
	}
	c.outcome = &o
	r.ledger.close(c)
	r.ended(ctx, c)
	r.refresh(ctx)
	r.passOn(ctx, c)
}

// ended records the end of a call: events in completion order, and a trace.
func (r *run) ended(ctx workflow.Context, c *call) {
	o := c.outcome
	r.record(ctx, contract.Event{
		Type: contract.EventToolEnd, ToolCallID: c.ID, Tool: c.Tool, Owner: c.tool.Owner,
		Status: string(o.Status), ErrorType: o.ErrorType, Size: len(o.Output),
	})
	r.Report.Traces = append(r.Report.Traces, tools.TraceOf(c.Call, *o, c.seen, workflow.Now(ctx)))
	r.Report.Changes = append(r.Report.Changes, o.Changes...)
	for _, w := range o.Warnings {
		r.Report.Warn(fmt.Sprintf("round %d, call %s: %s", c.Round, c.ID, w))
	}
	if !o.Succeeded() {
		r.Report.LastError = short(c.Tool + ": " + o.Message())
	}
}

// join appends the outcomes of a settled group to the conversation in origin
// order, whatever order they came in.
func (r *run) join(ctx workflow.Context, group batch) {
	for _, c := range group {
		result := item.Output(item.OutputFor(c.kind), c.ID, c.outcome.Output)
		add := r.Conversation.Add
		if c.started {
			add = r.Conversation.AddHeld
		}
		index := add(result)
		if c.tool.Owner == tools.OwnedByClient {
			r.Report.Publish(result)
		}
		if c.place > 0 {
			r.show(c)
		}
		r.record(ctx, contract.Event{
			Type: contract.EventToolResult, ToolCallID: c.ID, Tool: c.Tool,
			Status: string(c.outcome.Status), Item: &index, Size: len(c.outcome.Output),
		})
		// The conversation has the texts now; the ledger keeps the call for the
		// whole run.
		c.joined = true
		c.Arguments = ""
		c.outcome = &tools.Outcome{Status: c.outcome.Status, Terminate: c.outcome.Terminate}
	}
}

func cancelledOutcome() tools.Outcome {
	return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run was ended before this call was done")
}
