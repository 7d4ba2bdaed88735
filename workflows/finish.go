package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/contract"
)

// ending is how a run ends.
type ending struct {
	status contract.Status
	reason string
	err    *contract.RunError
	// next continues the run in a new execution, in place of all the others.
	next error
}

// maxFaults bounds the faults that a failed run lists.
const maxFaults = 200

func invalid(faults tools.Faults) ending {
	faults = faults.Bounded(maxFaults)
	return ending{status: contract.Failed, err: &contract.RunError{
		Code: contract.ErrInvalidRequest, Message: faults.Error(), Faults: faults,
	}}
}

// failure is the ending that an activity's error means.
func (r *run) failure(ctx workflow.Context, err error) ending {
	if ctx.Err() != nil || temporal.IsCanceledError(err) {
		if ctx.Err() == nil && r.stopping.soon() {
			return r.stopping.ending()
		}
		return ending{status: contract.Cancelled}
	}
	code, message := whyFailed(err)
	r.report.spend(failedInference(err))
	if r.round == 0 {
		code = contract.ErrDiscoveryFailed
	}
	return ending{status: contract.Failed, err: &contract.RunError{Code: code, Message: message}}
}

// finish takes what has arrived meanwhile, and ends the run. Nothing is
// accepted any more from the moment that the result is made.
func (r *run) finish(ctx workflow.Context, end ending) (*contract.Result, error) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	r.release(detached)
	for settled := false; !settled; {
		if err := workflow.Await(detached, func() bool { return r.decided(detached) }); err != nil {
			return nil, err
		}
		settled = !r.receive(detached)
	}
	r.inbox.closed = true
	r.report.status = end.status
	r.showAttributes(detached)
	if end.err != nil {
		r.report.lastError = short(end.err.Code + ": " + end.err.Message)
	}
	r.warnLeftovers(detached)
	r.journal.add(detached, contract.Event{Type: contract.EventRunEnd, Status: string(end.status), Reason: end.why()})
	r.journal.closed = true
	r.showDetails(detached)
	result := r.result(end)
	switch end.status { //nolint:exhaustive // the other two ends complete the workflow
	case contract.Failed:
		return nil, temporal.NewApplicationErrorWithOptions(end.err.Message, end.err.Code,
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{result}})
	case contract.Cancelled:
		return nil, temporal.NewCanceledError(*result)
	}
	return result, nil
}

func (e ending) why() string {
	if e.err != nil {
		return e.err.Code
	}
	return e.reason
}

// warnLeftovers names what nobody will read: signals of unknown names, and
// messages that came too late for another round.
func (r *run) warnLeftovers(ctx workflow.Context) {
	r.noteUnknownSignals(ctx)
	if names := r.inbox.unknown; len(names) > 0 {
		r.report.warn("signals with unknown names were ignored: " + strings.Join(names, ", "))
	}
	if r.journal.rejected > maxRejected {
		r.report.warn(fmt.Sprintf("%d signals were rejected; the events have the first %d", r.journal.rejected, maxRejected))
	}
	if n := len(r.inbox.steering) + len(r.inbox.followUps); n > 0 {
		r.report.warn("the run ended with messages that it had not delivered")
	}
}

// result is what a run ends with, within MaxResultSize and what is stored outside
// of history.
func (r *run) result(end ending) *contract.Result {
	result := &contract.Result{
		ID: r.id, Object: "response", Status: end.status, Model: r.report.model,
		Output: r.report.output, OutputText: r.outputText(), Usage: r.report.usage, Error: end.err,
		Metadata: r.request.Metadata, Tools: r.request.RawTools,
		Run: contract.RunReport{
			Rounds: r.round, Cost: r.report.cost, Traces: r.report.traces, Changes: r.report.changes,
			Release: r.report.release, Stop: r.stopping.order, Warnings: r.report.allWarnings(), ItemsLeftOut: r.report.outputLeftOut,
			TracesLeftOut: r.report.oldTraces,
		},
	}
	if end.status == contract.Incomplete {
		result.Incomplete = &contract.IncompleteReason{Reason: end.reason}
	}
	if r.request.Delegated != nil {
		brief(result)
	}
	fit(result, contract.MaxResultSize+r.report.stored)
	return result
}
