package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

// StopMode says how much of what is going on a stopped run still does.
type StopMode string

// Ways to stop a run, from the mildest to the hardest.
const (
	// StopAfterRound finishes the round: the answer of the model, its whole
	// batch, clients and people included. No other inference follows.
	StopAfterRound StopMode = "after_round"
	// StopAfterTools lets the tools that run come to their end. Nothing else
	// begins, and nobody is waited for; an inference in progress is given up.
	StopAfterTools StopMode = "after_tools"
	// StopNow is a cancel: tools are told to stop.
	StopNow StopMode = "now"
)

// harder ranks the modes.
func (m StopMode) harder(than StopMode) bool {
	rank := map[StopMode]int{StopAfterRound: 1, StopAfterTools: 2, StopNow: 3}
	return rank[m] > rank[than]
}

// StopReport says that somebody stopped the run.
type StopReport struct {
	Mode   StopMode  `json:"mode"`
	Actor  string    `json:"actor,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// stopping is what a run knows of being stopped.
type stopping struct {
	// order is nil until somebody stops the run; the hardest mode stays.
	order *StopReport
	// now cancels the story, inference the model call in progress.
	now, inference workflow.CancelFunc
}

// asked tells whether the run is to end after what it is doing.
func (s *stopping) asked() bool { return s.order != nil }

// soon tells whether nothing more may begin.
func (s *stopping) soon() bool { return s.order != nil && s.order.Mode != StopAfterRound }

// checkStop decides about a stop. A milder mode than the one in force changes
// nothing.
func (r *run) checkStop(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var s Stop
	if err := readObject(payload.Payload().GetData(), &s); err != nil {
		return nil, err
	}
	switch s.Mode {
	case StopNow, StopAfterTools, StopAfterRound:
	case "":
		return nil, fmt.Errorf("mode: required: %q, %q or %q", StopNow, StopAfterTools, StopAfterRound)
	default:
		return nil, fmt.Errorf("mode: %q is not known: %q, %q or %q", s.Mode, StopNow, StopAfterTools, StopAfterRound)
	}
	if o := r.stopping.order; o != nil && !s.Mode.harder(o.Mode) {
		return func(workflow.Context) Receipt {
			return Receipt{ID: StopRun, Status: string(o.Mode), Repeated: true}
		}, nil
	}
	return func(ctx workflow.Context) Receipt {
		r.halt(ctx, s)
		return Receipt{ID: StopRun, Status: string(s.Mode)}
	}, nil
}

// halt does what a stop asks for.
func (r *run) halt(ctx workflow.Context, s Stop) {
	r.stopping.order = &StopReport{Mode: s.Mode, Actor: short(s.Actor), Reason: short(s.Reason), At: workflow.Now(ctx).UTC()}
	r.journal.add(ctx, Event{Type: EventStop, Status: string(s.Mode), Actor: short(s.Actor), Reason: short(s.Reason)})
	r.refresh(ctx)
	switch s.Mode {
	case StopNow:
		r.stopping.now()
	case StopAfterTools:
		if r.stopping.inference != nil {
			r.stopping.inference()
		}
		r.dropWaiting(ctx, r.running)
		r.stopDelegated(ctx, s)
	case StopAfterRound:
	}
}

// dropWaiting closes the calls that wait for a client or a person.
func (r *run) dropWaiting(ctx workflow.Context, b batch) {
	for _, c := range b.open() {
		if c.action != nil || (c.approval != nil && !c.approval.settled) {
			r.settle(ctx, c, r.notDone())
		}
	}
}

// notDone is the outcome of a call that its run does not get to any more.
func (r *run) notDone() tools.Outcome {
	if r.failed != nil {
		return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run failed before this call was done")
	}
	if r.stopping.soon() && r.stopping.order.Mode != StopNow {
		return tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run was stopped before this call was done")
	}
	return cancelledOutcome()
}

// ending is that of a run that was stopped and not cancelled.
func (s *stopping) ending() ending { return ending{status: Incomplete, reason: ReasonStopped} }
