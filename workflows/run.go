package workflows

import (
	"errors"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/workflows/contract"
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
	end := r.story(ctx, argument)
	if end.next != nil {
		return nil, end.next
	}
	return r.finish(ctx, end)
}

// run is the state of one run.
type run struct {
	id           string
	request      contract.Request
	registry     *tools.Registry
	surface      surface
	conversation conversation
	// round counts from 1; 0 before the first inference.
	round int
	// running is the current batch.
	running batch
	// stop is how the answer with that batch ended; midRound is true until the
	// batch is dealt with.
	stop     model.FinishReason
	midRound bool
	// asking is the wait for a larger budget; nil unless there is one.
	asking *question
	ledger ledger
	// holdings are what was opened for the run.
	holdings holdings
	stopping stopping
	inbox    inbox
	journal  journal
	report   report
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
		id:         workflow.GetInfo(ctx).WorkflowExecution.ID,
		request:    contract.Request{Run: contract.DefaultOptions()},
		report:     report{status: contract.Queued},
		attributes: readAttributes(ctx),

		execution: execution{carried: workflow.GetInfo(ctx).GetCurrentHistorySize()},
	}
}

// story runs from the request to the end of the last round.
func (r *run) story(ctx workflow.Context, argument converter.RawValue) ending {
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

// accept decodes the request and discovers its tools. Every fault that either
// of them finds is reported together.
func (r *run) accept(ctx workflow.Context, argument converter.RawValue) (ending, bool) {
	request, faults := readRequest(ctx, argument.Payload().GetData())
	r.request = request
	r.report.warn(request.Warnings...)
	found, err := r.discover(ctx)
	if err != nil {
		return r.failure(ctx, err), true
	}
	faults = append(faults, found.Faults...)
	listings, err := r.listServers(ctx, &faults)
	if err != nil {
		return r.failure(ctx, err), true
	}
	registry, warnings, clashes := buildRegistry(request, found, listings)
	faults = append(faults, clashes...)
	if len(faults) > 0 {
		return invalid(faults), true
	}
	r.registry = registry
	r.report.warn(warnings...)
	r.report.status = contract.InProgress
	r.report.model = request.Model
	r.surface = newSurface(request, registry)
	r.journal.add(ctx, contract.Event{Type: contract.EventRunStart, Status: string(contract.InProgress)})
	for _, it := range request.Input {
		r.conversation.add(it)
	}
	r.showServers(ctx, listings)
	return ending{}, false
}

// nextRound is one inference and the handling of the batch it asked for. A run
// that continues from the middle of a round has its batch already.
func (r *run) nextRound(ctx workflow.Context) (ending, bool) {
	if !r.midRound {
		if end, over := r.askModel(ctx); over {
			return end, true
		}
	}
	work, abandon := workflow.WithCancel(ctx)
	r.abandon = abandon
	for _, group := range r.running.groups(r.sequential(r.running)) {
		r.handle(work, group)
		if end := r.execution.leaving; end != nil {
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
	if r.asking == nil {
		r.journal.add(ctx, contract.Event{Type: contract.EventRoundEnd})
	}
	decision := r.decide()
	for budgetReason(decision.reason) && r.extended(ctx, decision.reason) {
		r.receive(ctx)
		decision = r.decide()
	}
	if r.stopping.asked() { // while the budget was asked about
		decision = r.decide()
	}
	if end := r.execution.leaving; end != nil {
		return *end, true
	}
	r.askNoMore(ctx)
	r.midRound = false
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
	case r.stopping.asked():
		return r.stopping.ending(), true
	}
	r.round++
	r.journal.round = r.round
	r.journal.add(ctx, contract.Event{Type: contract.EventRoundStart})
	r.showDetails(ctx)
	answer, err := r.infer(ctx)
	if err != nil {
		return r.failure(ctx, err), true
	}
	r.running, r.stop, r.midRound = r.hear(ctx, answer), answer.Finish, true
	return ending{}, false
}

// decide is what happens after a settled batch.
func (r *run) decide() decision {
	return decide(facts{
		calls: len(r.running), terminating: r.running.terminating(), stop: r.stop,
		steering: len(r.inbox.steering), followUps: len(r.inbox.followUps),
		round: r.round, maxRounds: r.request.Run.MaxRounds, overspent: r.overspent(), stopped: r.stopping.asked(),
	})
}

func (r *run) act(ctx workflow.Context, d decision) (ending, bool) {
	switch d.kind {
	case goOn:
		for _, m := range r.inbox.take(d.followUp) {
			index := r.conversation.add(m)
			r.journal.add(ctx, contract.Event{Type: contract.EventMessage, Item: &index, Size: len(m)})
		}
		return ending{}, false
	case stopEarly:
		return ending{status: contract.Incomplete, reason: d.reason}, true
	default:
		return ending{status: contract.Completed}, true
	}
}

// infer asks the model for the next answer. A conversation that is too long
// for it is made shorter first, if the request allows that.
func (r *run) infer(ctx workflow.Context) (activities.InferResult, error) {
	ctx, r.stopping.inference = workflow.WithCancel(ctx)
	if r.crowded() {
		if _, err := r.compact(ctx, 0, "it has reached compact_at"); err != nil {
			return activities.InferResult{}, err
		}
	}
	for try := 1; ; try++ {
		answer, err := r.ask(ctx, try)
		if !tooLong(err) || !truncates(r.request) || try > maxCompactions {
			return answer, err
		}
		if shorter, failed := r.compact(ctx, try, "the model's context was exceeded"); failed != nil || !shorter {
			return answer, errors.Join(failed, err)
		}
	}
}

// ask is one inference.
func (r *run) ask(ctx workflow.Context, try int) (activities.InferResult, error) {
	in := r.conversation.inferInput()
	in.Round, in.Try, in.Surface = r.round, try-1, r.surface.digest
	in.Attempts = r.request.Run.ModelAttempts
	in.ToolChoice = choiceFor(r.request.ToolChoice, r.round, r.registry.Shown())
	ctx = workflow.WithActivityOptions(ctx, inferOptions(r.request, r.round, try, in.Length))
	answer, err := performUntil(ctx, r, acts.Infer, in)
	if err != nil {
		return answer, err
	}
	r.report.stored = answer.MaxOutput
	r.report.spend(answer.Failed)
	if answer.Usage != nil {
		r.report.spend(&model.Spent{Usage: *answer.Usage, Cost: answer.Cost})
		r.conversation.counted(*answer.Usage)
	}
	r.report.warn(answer.Notes...)
	if answer.Model != "" {
		r.report.model = answer.Model
	}
	return answer, nil
}
