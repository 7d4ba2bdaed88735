package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// runBatch takes a group of calls from prepare to their results in the
// conversation. It returns when every one of them is settled, also when the
// run is cancelled meanwhile; or earlier, when the run continues in another
// execution, where it goes on from here. A run that leaves this execution in the
// middle of the batch returns how.
func (r *run) runBatch(ctx workflow.Context, group actions.Batch) *ending {
	if len(group) == 0 || group[0].Joined {
		return nil
	}
	if !group[0].Begun {
		r.start(ctx, group)
	}
	r.executeAll(ctx, group)
	leaving := r.await(ctx, group)
	if leaving == nil || leaving.next == nil {
		r.join(ctx, group)
	}
	return leaving
}

// start takes a group up to where its calls are in somebody's hands.
func (r *run) start(ctx workflow.Context, group actions.Batch) {
	for _, c := range group {
		r.record(ctx, contract.Event{Type: contract.EventToolStart, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner, Size: len(c.Arguments)})
	}
	for _, c := range group {
		c.Begun = true
		if c.Settled() {
			r.ended(ctx, c)
		}
	}
	r.prepare(ctx, group)
	r.skip(ctx, group)
	r.handOver(ctx, group)
}

// sequential tells whether the batch may not overlap: the run, the request or
// one of its tools says so.
func (r *run) sequential(b actions.Batch) bool {
	if r.Request.Run.ToolExecution == contract.ExecuteSequential {
		return true
	}
	if p := r.Request.ParallelToolCalls; p != nil && !*p {
		return true
	}
	for _, c := range b {
		if c.Descriptor.Sequential {
			return true
		}
	}
	return false
}

// prepare takes the open calls of a group through the stages before
// execution.
func (r *run) prepare(ctx workflow.Context, group actions.Batch) {
	open := group.Open()
	if len(open) == 0 || r.skip(ctx, group) {
		return
	}
	in := activities.PrepareInput{Plan: r.Request.Run.Plan(), Budget: r.budget()}
	for _, c := range open {
		in.Calls = append(in.Calls, activities.PreparedCall{Call: c.Call, Descriptor: c.Descriptor})
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

func (r *run) prepared(ctx workflow.Context, c *actions.Call, p activities.Prepared) {
	if p.Arguments != nil {
		c.Arguments = string(p.Arguments)
	}
	switch {
	case p.Immediate != nil:
		r.settle(ctx, c, *p.Immediate)
	case p.Ask != nil && r.Request.Delegated != nil:
		r.settle(ctx, c, tools.Fail(tools.Denied, tools.ErrBlocked, notAsked))
	case p.Ask != nil:
		r.Ledger.Ask(c, *p.Ask)
	default:
		r.Ledger.Spend(c)
	}
}

// budget is what the gateway-owned calls may still use.
func (r *run) budget() activities.Budget {
	b := activities.Budget{Calls: -1, Used: r.Ledger.Used}
	if r.Request.MaxToolCalls > 0 {
		b.Calls = max(0, r.Request.MaxToolCalls-r.Ledger.Spent)
	}
	return b
}

// await waits until every call of the group is settled. A cancelled run stops
// waiting for clients and people at once, and for running tools until they
// have ended. The calls are not settled only if the run continues elsewhere.
func (r *run) await(ctx workflow.Context, group actions.Batch) (leaving *ending) {
	stop := r.watchDeadlines(ctx, group)
	leaving = r.awaitOthers(ctx, group)
	stop()
	if (leaving != nil && leaving.next != nil) || group.Settled() {
		return leaving
	}
	r.dropWaiting(ctx, group)
	detached, _ := workflow.NewDisconnectedContext(ctx)
	if r.lastWait(detached, group.Settled) {
		return leaving
	}
	for _, c := range group.Open() {
		r.settle(ctx, c, leftOutcome(c))
	}
	return leaving
}

// skip settles the open calls of a run in which nothing more may begin.
func (r *run) skip(ctx workflow.Context, group actions.Batch) bool {
	if !r.stopsSoon() || r.Stopped.Mode == contract.StopNow {
		return false
	}
	for _, c := range group.Open() {
		r.settle(ctx, c, r.notDone())
	}
	return true
}

// awaitOthers waits until every call of the group is settled, or until the run
// leaves this execution. It can leave while all that it waits for is a client
// or a person.
func (r *run) awaitOthers(ctx workflow.Context, group actions.Batch) (leaving *ending) {
	for leaving == nil && ctx.Err() == nil { // Await looks at its condition first
		err := workflow.Await(ctx, func() bool { return group.Settled() || (group.Resting() && r.due(ctx)) })
		if err != nil || group.Settled() {
			return nil
		}
		leaving = r.leave(ctx, group.Resting)
	}
	return leaving
}

// settle gives a call its outcome; the first one stays.
func (r *run) settle(ctx workflow.Context, c *actions.Call, o tools.Outcome) {
	if !r.Ledger.Settle(c, o) {
		return
	}
	r.ended(ctx, c)
	r.refresh(ctx)
	r.passOn(ctx, c)
}

// ended records the end of a call: events in completion order, and a trace.
func (r *run) ended(ctx workflow.Context, c *actions.Call) {
	o := c.Outcome
	r.record(ctx, contract.Event{
		Type: contract.EventToolEnd, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner,
		Status: string(o.Status), ErrorType: o.ErrorType, Size: len(o.Output),
	})
	r.Report.Traces = append(r.Report.Traces, tools.TraceOf(c.Call, *o, c.Seen, workflow.Now(ctx)))
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
func (r *run) join(ctx workflow.Context, group actions.Batch) {
	for _, c := range group {
		result := item.Output(item.OutputFor(c.Kind), c.ID, c.Outcome.Output)
		add := r.Conversation.Add
		if c.Started {
			add = r.Conversation.AddHeld
		}
		index := add(result)
		if c.Descriptor.Owner == tools.OwnedByClient {
			r.Report.Publish(result)
		}
		if c.Place > 0 {
			r.show(c)
		}
		r.record(ctx, contract.Event{
			Type: contract.EventToolResult, ToolCallID: c.ID, Tool: c.Tool,
			Status: string(c.Outcome.Status), Item: &index, Size: len(c.Outcome.Output),
		})
		c.Join()
	}
}

func cancelledOutcome() tools.Outcome {
	return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run was ended before this call was done")
}
