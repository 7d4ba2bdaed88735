// Package workflows is the durable run: the workflow Run and what belongs to it.
// A run is accepted, and goes from round to round: an inference, the batch of
// calls in it, a decision. The parts of its state are packages of their own.
//
// The package is deterministic. It does no I/O and knows no model or tool
// technology; everything that touches the world is an activity.
package workflows

import (
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/budget"
	"errand/workflows/contract"
	"errand/workflows/conversation"
	"errand/workflows/report"
)

// Run is the workflow: one durable run of a model and its tools. The argument
// is the request as raw JSON; what is wrong with it fails the run at once and
// never wedges a workflow task. The result is a *Result; a failed or cancelled
// run carries the same as error details.
func Run(ctx workflow.Context, argument converter.RawValue) (*contract.Result, error) {
	r := newRun(ctx)
	r.resume(ctx, argument)
	ctx, r.stopping.now = workflow.WithCancel(ctx)
	if err := r.listen(ctx); err != nil {
		return nil, err
	}
	r.takeOver(ctx)
	end := r.loop(ctx, argument)
	if end.next != nil {
		return nil, end.next
	}
	return r.finish(ctx, end)
}

// run is one execution of a run.
type run struct {
	id string
	state
	registry *tools.Registry
	surface  conversation.Surface
	stopping stopping
	outside  outside
	// validating are the turns of answers that are being validated.
	validating actions.Turns
	// delegated are the delegated runs of open calls.
	delegated delegated
	// failed is why the run ends in the middle of a batch; abandon stops that
	// batch.
	failed     *contract.RunError
	abandon    func()
	attributes attributes
	// execution is about this execution alone.
	execution execution
}

func newRun(ctx workflow.Context) *run {
	return &run{
		id: workflow.GetInfo(ctx).WorkflowExecution.ID,
		state: state{
			Request: contract.Request{Run: contract.DefaultOptions()},
			Report:  report.Report{Status: contract.Queued},
		},
		attributes: readAttributes(ctx),
		execution:  execution{carried: workflow.GetInfo(ctx).GetCurrentHistorySize()},
	}
}

// loop runs from the request to the end of the last round.
func (r *run) loop(ctx workflow.Context, argument converter.RawValue) ending {
	if !r.execution.resumed {
		if end, bad := r.accept(ctx, argument); bad {
			return end
		}
	}
	for {
		if end, over := r.nextRound(ctx); over {
			return end
		}
		if end := r.leave(ctx, func() bool { return true }); end != nil {
			return *end
		}
	}
}

// nextRound is one inference and the handling of the batch it asked for. A run
// that continues from the middle of a round has its batch already.
func (r *run) nextRound(ctx workflow.Context) (ending, bool) {
	if !r.MidRound {
		if end, over := r.askModel(ctx); over {
			return end, true
		}
	}
	work, abandon := workflow.WithCancel(ctx)
	r.abandon = abandon
	for _, group := range r.Running.Groups(r.sequential(r.Running)) {
		if end := r.runBatch(work, group); end != nil {
			return *end, true
		}
	}
	switch {
	case ctx.Err() != nil:
		return ending{status: contract.Cancelled}, true
	case r.failed != nil:
		return ending{status: contract.Failed, err: r.failed}, true
	}
	return r.conclude(ctx)
}

// conclude ends a round and decides how the run goes on. A run that continues
// while it asks for a larger budget has ended its round before.
func (r *run) conclude(ctx workflow.Context) (ending, bool) {
	r.receive(ctx)
	if r.Budget.Asking == nil {
		r.record(ctx, contract.Event{Type: contract.EventRoundEnd})
	}
	decision := r.decide()
	for budget.CanExtend(decision.reason) {
		extended, end := r.requestBudget(ctx, decision.reason)
		if end != nil {
			return *end, true
		}
		if !extended {
			break
		}
		r.receive(ctx)
		decision = r.decide()
	}
	if r.stopAsked() { // while the budget was asked about
		decision = r.decide()
	}
	r.closeQuestion(ctx)
	r.MidRound = false
	if ctx.Err() != nil {
		return ending{status: contract.Cancelled}, true
	}
	return r.act(ctx, decision)
}

// askModel begins a round: the next answer, and the batch in it.
func (r *run) askModel(ctx workflow.Context) (ending, bool) {
	switch {
	case ctx.Err() != nil: // a run that continues can meet a cancel before its first round here
		return ending{status: contract.Cancelled}, true
	case r.stopAsked():
		return stoppedEnding(), true
	}
	r.Round++
	r.record(ctx, contract.Event{Type: contract.EventRoundStart})
	r.showDetails(ctx)
	answer, err := r.infer(ctx)
	if err != nil {
		return r.failure(ctx, err), true
	}
	r.Running, r.Stop, r.MidRound = r.appendAnswer(ctx, answer), answer.Finish, true
	return ending{}, false
}

// decide is what happens after a settled batch.
func (r *run) decide() decision {
	return decide(facts{
		calls: len(r.Running), terminating: r.Running.Terminating(), stop: r.Stop,
		steering: len(r.Inbox.Steering), followUps: len(r.Inbox.FollowUps),
		round: r.Round, maxRounds: r.Request.Run.MaxRounds, overspent: r.Budget.Overspent(r.Request.Run), stopped: r.stopAsked(),
	})
}

func (r *run) act(ctx workflow.Context, d decision) (ending, bool) {
	switch d.kind {
	case goOn:
		for _, m := range r.Inbox.Take(d.followUp) {
			index := r.Conversation.Add(m)
			r.record(ctx, contract.Event{Type: contract.EventMessage, Item: &index, Size: len(m)})
		}
		return ending{}, false
	case stopEarly:
		return ending{status: contract.Incomplete, reason: d.reason}, true
	default:
		return ending{status: contract.Completed}, true
	}
}

// accept decodes the request and discovers its tools. Every fault that either
// of them finds is reported together.
func (r *run) accept(ctx workflow.Context, argument converter.RawValue) (ending, bool) {
	request, faults := readRequest(ctx, argument.Payload().GetData())
	r.Request = request
	r.Report.Warn(request.Warnings...)
	found, err := r.discover(ctx)
	if err != nil {
		return r.failure(ctx, err), true
	}
	faults = append(faults, found.Faults...)
	listings, err := r.listServers(ctx, &faults)
	if err != nil {
		return r.failure(ctx, err), true
	}
	registry, warnings, clashes := conversation.BuildRegistry(request, found, listings)
	faults = append(faults, clashes...)
	if len(faults) > 0 {
		return invalid(faults), true
	}
	r.registry = registry
	r.Report.Warn(warnings...)
	r.Report.Status = contract.InProgress
	r.Report.Model = request.Model
	r.surface = conversation.NewSurface(request, registry)
	r.record(ctx, contract.Event{Type: contract.EventRunStart, Status: string(contract.InProgress)})
	for _, it := range request.Input {
		r.Conversation.Add(it)
	}
	r.showServers(ctx, listings)
	return ending{}, false
}

// discover resolves the declarations, once for the run. Nothing is opened.
func (r *run) discover(ctx workflow.Context) (activities.DiscoverResult, error) {
	var in activities.DiscoverInput
	for _, d := range r.Request.Tools {
		if d.Known() {
			in.Declarations = append(in.Declarations, d)
		}
	}
	if r.Request.Run.MaxCost > 0 {
		in.Priced = r.Request.Model
	}
	if len(in.Declarations) == 0 && in.Priced == "" {
		return activities.DiscoverResult{}, nil
	}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions("discover tools"))
	return performLocal(ctx, acts.Discover, in)
}

// Offer is what the tools of a request come to, with what discovery found and
// what MCP servers list, by the path of their declaration: the registry of a run,
// its warnings and its faults. It is for programs that show
// what a run would see.
func Offer(request contract.Request, found activities.DiscoverResult, listings map[string]tools.Listing) (*tools.Registry, []string, tools.Faults) {
	registry, warnings, faults := conversation.BuildRegistry(request, found, listings)
	return registry, append(append([]string{}, request.Warnings...), warnings...), faults
}
