package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/tools/delegate"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

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
