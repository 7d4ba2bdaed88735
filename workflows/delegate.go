package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities/model"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// A call of delegate is executed by another run: a child workflow with the
// declarations and options of this one. Its client-owned calls are handed over by
// this run, and what it has used counts here.

// child is a delegated run, as the run sees it that started it.
type child struct {
	id     string
	future workflow.ChildWorkflowFuture
	// over is true once it has ended. closed are its actions that ended before
	// they were heard of.
	over   bool
	closed map[string]bool
}

// delegated are the delegated runs of this one.
type delegated struct {
	// children execute a call each; relays are of the calls that this run has
	// handed over for one of them.
	children map[*actions.Call]*child
	relays   map[*actions.Call]*relay
}

// childID is the workflow id of the run for the call at a place. The chain is part
// of it: a delegated run of an earlier run of the same id may still be ending.
func childID(run, chain string, round, index int) string {
	if len(run) > maxChildID {
		run = item.Digest([]byte(run))
	}
	return fmt.Sprintf("%s/%s/%d/%d", run, chain[:min(8, len(chain))], round, index)
}

// delegate runs a call as a run of its own and waits for its end, also for that
// of one that was cancelled.
func (r *run) delegate(ctx workflow.Context, c *actions.Call) tools.Outcome {
	request, refusal := r.childRequest(c)
	if refusal != nil {
		return *refusal
	}
	info := workflow.GetInfo(ctx)
	run := &child{id: childID(r.id, info.FirstRunID, c.Round, c.Index), closed: map[string]bool{}}
	if r.delegated.children == nil {
		r.delegated = delegated{map[*actions.Call]*child{}, map[*actions.Call]*relay{}}
	}
	r.delegated.children[c] = run
	defer delete(r.delegated.children, c)
	options := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: run.id, TaskQueue: info.TaskQueueName, WaitForCancellation: true,
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		StaticSummary:     summary("round %d · %s %s", c.Round, c.Tool, c.Arguments),
	})
	run.future = workflow.ExecuteChildWorkflow(options, contract.TypeDelegated, request)
	var result contract.Result
	err := run.future.Get(ctx, &result)
	run.over = true
	if err != nil {
		result = resultIn(err)
	}
	r.Budget.Spend(&model.Spent{Usage: result.Usage, Cost: result.Run.Cost})
	r.closeRelayed(ctx, run)
	o := delegatedOutcome(result, err)
	o.Changes, o.Warnings = result.Run.Changes, result.Run.Warnings
	if ctx.Err() != nil && o.Status != tools.Cancelled {
		late := droppedOutcome(o)
		late.Warnings = o.Warnings
		return late
	}
	return o
}

// resultIn is the result that a failed or cancelled run carries.
func resultIn(err error) (result contract.Result) {
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	var details interface{ Details(...any) error }
	switch {
	case errors.As(err, &app) && app.HasDetails():
		details = app
	case errors.As(err, &cancelled) && cancelled.HasDetails():
		details = cancelled
	default:
		return contract.Result{}
	}
	if details.Details(&result) != nil {
		return contract.Result{}
	}
	return result
}

// delegatedOutcome says how a delegated run has ended. Only one that completed
// has succeeded, whatever text another has left.
func delegatedOutcome(result contract.Result, err error) tools.Outcome {
	const unusable = "; what it had said until then is not its answer"
	switch {
	case err == nil && result.Status == contract.Completed:
		return tools.Outcome{Status: tools.Succeeded, Output: result.OutputText}
	case result.Status == contract.Cancelled || temporal.IsCanceledError(err):
		return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the delegated run was cancelled"+unusable)
	case result.Status == contract.Incomplete && result.Incomplete != nil:
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
			"the delegated run is incomplete ("+result.Incomplete.Reason+")"+unusable)
	case result.Error != nil:
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
			short("the delegated run failed: "+result.Error.Code+": "+result.Error.Message))
	case err != nil:
		return tools.Fail(tools.Failed, tools.ErrExecutionFailed, short("the delegated run ended without a result: "+err.Error()))
	}
	return tools.Fail(tools.Failed, tools.ErrExecutionFailed,
		fmt.Sprintf("the delegated run ended as %q%s", result.Status, unusable))
}

// stopDelegated has the delegated runs stop as this one does.
func (r *run) stopDelegated(ctx workflow.Context, s contract.Stop) {
	for _, c := range r.Running.Open() {
		if run := r.delegated.children[c]; run != nil && !run.over {
			workflow.Go(ctx, func(ctx workflow.Context) { run.tell(ctx, contract.StopRun, s) }) // once it has started
		}
	}
}

// tell sends a delegated run a signal and does not wait: one that is gone is found
// out by its result.
func (c *child) tell(ctx workflow.Context, signal string, payload any) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	c.future.SignalChildWorkflow(detached, signal, payload)
}

// maxDelegatedOutput bounds the answer of a delegated run, and what it reports
// beside: a batch of them stays within what a history takes.
const maxDelegatedOutput = 256 << 10
