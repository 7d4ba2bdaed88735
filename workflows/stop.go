package workflows

import (
	"fmt"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

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
