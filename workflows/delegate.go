package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities/model"
	"errand/tools"
	"errand/tools/delegate"
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

// readRequest reads the argument of a run. That of a delegated one was read and
// checked before, by the run that started it.
func readRequest(ctx workflow.Context, raw []byte) (contract.Request, tools.Faults) {
	if workflow.GetInfo(ctx).WorkflowType.Name != contract.TypeDelegated {
		return contract.DecodeRequest(raw)
	}
	request := contract.Request{Run: contract.DefaultOptions()}
	if json.Unmarshal(raw, &request) != nil || request.Delegated == nil || workflow.GetInfo(ctx).ParentWorkflowExecution == nil {
		return contract.Request{Run: contract.DefaultOptions()}, tools.Faults{{
			Message: "only a run that calls the tool " + delegate.Name + " starts a " + contract.TypeDelegated + ": start a " + contract.TypeRun,
		}}
	}
	return request, nil
}

// childRequest makes the request of a delegated run out of the one of this run, or
// says why it must not be.
func (r *run) childRequest(c *actions.Call) (contract.Request, *tools.Outcome) {
	refuse := func(status tools.OutcomeStatus, kind, format string, args ...any) (contract.Request, *tools.Outcome) {
		o := tools.Fail(status, kind, short(fmt.Sprintf(format, args...)))
		return contract.Request{}, &o
	}
	var a delegate.Arguments
	var o delegate.Options
	if err := json.Unmarshal([]byte(c.Arguments), &a); err != nil || strings.TrimSpace(a.Task) == "" {
		return refuse(tools.Failed, tools.ErrInvalidArguments, "task: required: what the other agent is to do")
	}
	if err := json.Unmarshal(c.Descriptor.Options, &o); err != nil {
		return refuse(tools.Failed, tools.ErrExecutionFailed, "the depth of delegated runs is not known: %v", err)
	}
	depth := 1
	if d := r.Request.Delegated; d != nil {
		depth = d.Depth + 1
	}
	if depth > o.MaxDepth {
		return refuse(tools.Denied, tools.ErrBudgetExceeded,
			"at most %d delegated runs may be below each other: do this task without %s", o.MaxDepth, delegate.Name)
	}
	declared, unknown := chosenTools(r.Request.Tools, a.Tools)
	if len(unknown) > 0 {
		return refuse(tools.Failed, tools.ErrInvalidArguments, "tools: this run has no %s", strings.Join(unknown, ", "))
	}
	request := r.inherited()
	request.Delegated = &contract.Delegated{Depth: depth, Round: c.Round, Index: c.Index}
	request.Tools = declared
	request.Input = []json.RawMessage{item.Message("user", a.Task)}
	if a.Model != "" {
		request.Model = a.Model
	}
	if a.Instructions != "" {
		request.Instructions = a.Instructions
	}
	if size := tools.EncodedSize(request); size > contract.MaxRequestSize {
		return refuse(tools.Failed, tools.ErrInvalidArguments,
			"the request of the delegated run has %d bytes, at most %d are taken: give a shorter task, or fewer tools", size, contract.MaxRequestSize)
	}
	return request, nil
}

// inherited is what a delegated run has of this one: the model, the settings but
// for the form of the last answer, the plan and the other options, and of each
// budget what is left.
func (r *run) inherited() contract.Request {
	request := r.Request
	request.RawTools, request.ToolChoice, request.Metadata, request.Warnings = nil, nil, nil, nil
	request.Settings = map[string]json.RawMessage{}
	for _, name := range workflow.DeterministicKeys(r.Request.Settings) {
		if name != "text" {
			request.Settings[name] = r.Request.Settings[name]
		}
	}
	o := &request.Run
	o.OnBudget = contract.BudgetStop // nobody is asked there
	if o.MaxTokens > 0 {
		o.MaxTokens = max(1, o.MaxTokens-int(r.Budget.Usage.TotalTokens))
	}
	if o.MaxCost > 0 && r.Budget.Cost != nil {
		o.MaxCost = max(1, o.MaxCost-*r.Budget.Cost)
	}
	if request.MaxToolCalls > 0 {
		request.MaxToolCalls = max(1, request.MaxToolCalls-r.Ledger.Spent)
	}
	return request
}

// chosenTools are the declarations that a delegated run gets, and the names that
// nobody declared.
func chosenTools(all []tools.Declaration, names []string) (chosen []tools.Declaration, unknown []string) {
	found := map[string]bool{}
	for _, d := range all {
		name := declaredName(d)
		found[name] = true
		if wanted := slices.Contains(names, name); wanted || (names == nil && name != delegate.Name) {
			chosen = append(chosen, d)
		}
	}
	for _, name := range names {
		if !found[name] {
			unknown = append(unknown, fmt.Sprintf("%q", name))
		}
	}
	return chosen, unknown
}

// declaredName is what a declaration goes by among the others.
func declaredName(d tools.Declaration) string {
	switch {
	case d.Server != nil:
		return d.Server.Label
	case d.Name == "":
		return d.Type
	}
	return d.Identity().String()
}
