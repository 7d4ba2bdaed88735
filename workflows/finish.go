package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
	"errand/workflows/events"
	"errand/workflows/report"
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
		if ctx.Err() == nil && r.stopsSoon() {
			return stoppedEnding()
		}
		return ending{status: contract.Cancelled}
	}
	code, message := whyFailed(err)
	r.Budget.Spend(failedInference(err))
	if r.Round == 0 {
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
	r.outside.closed = true
	r.Report.Status = end.status
	r.showAttributes(detached)
	if end.err != nil {
		r.Report.LastError = short(end.err.Code + ": " + end.err.Message)
	}
	r.warnLeftovers(detached)
	r.record(detached, contract.Event{Type: contract.EventRunEnd, Status: string(end.status), Reason: end.why()})
	r.Journal.Close()
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
	if names := r.Inbox.Unknown; len(names) > 0 {
		r.Report.Warn("signals with unknown names were ignored: " + strings.Join(names, ", "))
	}
	if r.Journal.Rejected > events.MaxRejected {
		r.Report.Warn(fmt.Sprintf("%d signals were rejected; the events have the first %d", r.Journal.Rejected, events.MaxRejected))
	}
	if n := len(r.Inbox.Steering) + len(r.Inbox.FollowUps); n > 0 {
		r.Report.Warn("the run ended with messages that it had not delivered")
	}
}

// result is what a run ends with, within MaxResultSize and what is stored outside
// of history.
func (r *run) result(end ending) *contract.Result {
	result := &contract.Result{
		ID: r.id, Object: "response", Status: end.status, Model: r.Report.Model,
		Output: r.Report.Output, OutputText: r.Report.OutputText(r.Conversation.Items), Usage: r.Budget.Usage, Error: end.err,
		Metadata: r.Request.Metadata, Tools: r.Request.RawTools,
		Run: contract.RunReport{
			Rounds: r.Round, Cost: r.Budget.Cost, Traces: r.Report.Traces, Changes: r.Report.Changes,
			Release: r.Report.Release, Stop: r.Stopped, Warnings: r.Report.AllWarnings(), ItemsLeftOut: r.Report.LeftOut,
			TracesLeftOut: r.Report.OldTraces,
		},
	}
	if end.status == contract.Incomplete {
		result.Incomplete = &contract.IncompleteReason{Reason: end.reason}
	}
	if r.Request.Delegated != nil {
		report.Brief(result, maxDelegatedOutput)
	}
	report.Fit(result, contract.MaxResultSize+r.Report.Stored)
	return result
}

// stopping is what a run knows of being stopped.
type stopping struct {
	// now cancels the loop, inference the model call in progress.
	now, inference workflow.CancelFunc
}

// stopAsked tells whether the run is to end after what it is doing.
func (r *run) stopAsked() bool { return r.Stopped != nil }

// stopsSoon tells whether nothing more may begin.
func (r *run) stopsSoon() bool { return r.Stopped != nil && r.Stopped.Mode != contract.StopAfterRound }

// checkStop decides about a stop. A milder mode than the one in force changes
// nothing.
func (r *run) checkStop(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var s contract.Stop
	if err := readObject(payload.Payload().GetData(), &s); err != nil {
		return nil, err
	}
	switch s.Mode {
	case contract.StopNow, contract.StopAfterTools, contract.StopAfterRound:
	case "":
		return nil, fmt.Errorf("mode: required: %q, %q or %q", contract.StopNow, contract.StopAfterTools, contract.StopAfterRound)
	default:
		return nil, fmt.Errorf("mode: %q is not known: %q, %q or %q", s.Mode, contract.StopNow, contract.StopAfterTools, contract.StopAfterRound)
	}
	if o := r.Stopped; o != nil && !s.Mode.Harder(o.Mode) {
		return func(workflow.Context) contract.Receipt {
			return contract.Receipt{ID: contract.StopRun, Status: string(o.Mode), Repeated: true}
		}, nil
	}
	return func(ctx workflow.Context) contract.Receipt {
		r.halt(ctx, s)
		return contract.Receipt{ID: contract.StopRun, Status: string(s.Mode)}
	}, nil
}

// halt does what a stop asks for.
func (r *run) halt(ctx workflow.Context, s contract.Stop) {
	r.Stopped = &contract.StopReport{Mode: s.Mode, Actor: short(s.Actor), Reason: short(s.Reason), At: workflow.Now(ctx).UTC()}
	r.record(ctx, contract.Event{Type: contract.EventStop, Status: string(s.Mode), Actor: short(s.Actor), Reason: short(s.Reason)})
	r.refresh(ctx)
	switch s.Mode {
	case contract.StopNow:
		r.stopping.now()
	case contract.StopAfterTools:
		if r.stopping.inference != nil {
			r.stopping.inference()
		}
		r.dropWaiting(ctx, r.Running)
		r.stopDelegated(ctx, s)
	case contract.StopAfterRound:
	}
}

// dropWaiting closes the calls that wait for a client or a person.
func (r *run) dropWaiting(ctx workflow.Context, b actions.Batch) {
	for _, c := range b.Open() {
		if c.Action != nil || (c.Approval != nil && !c.Approval.Settled) {
			r.settle(ctx, c, r.notDone())
		}
	}
}

// notDone is the outcome of a call that its run does not get to any more.
func (r *run) notDone() tools.Outcome {
	if r.failed != nil {
		return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run failed before this call was done")
	}
	if r.stopsSoon() && r.Stopped.Mode != contract.StopNow {
		return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run was stopped before this call was done")
	}
	return cancelledOutcome()
}

// stoppedEnding is that of a run that was stopped and not cancelled.
func stoppedEnding() ending {
	return ending{status: contract.Incomplete, reason: contract.ReasonStopped}
}
