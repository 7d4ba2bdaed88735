package workflows

import (
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/workflows/contract"
)

// facts are what the decision after a round depends on.
type facts struct {
	calls       int
	terminating bool // every outcome of the batch asked to end the run
	stop        model.FinishReason
	steering    int
	followUps   int
	round       int
	maxRounds   int
	// overspent is the budget of tokens or money that is used up, or "".
	overspent string
	stopped   bool // somebody asked the run to end here
}

type decisionKind int

const (
	goOn decisionKind = iota
	finished
	stopEarly
)

// decision says how a run goes on.
type decision struct {
	kind decisionKind
	// reason is that of stopEarly.
	reason string
	// followUp takes a follow-up message into the next round.
	followUp bool
}

// decide is what happens after a settled batch. A message from outside that
// waits is never lost to an end that the model wanted.
func decide(f facts) decision {
	ends := f.calls == 0 || f.terminating
	waiting := f.steering > 0 || (ends && f.followUps > 0)
	switch {
	case f.stop == model.FinishFilter && !waiting:
		return decision{kind: stopEarly, reason: string(model.FinishFilter)}
	case f.calls == 0 && f.stop == model.FinishLength && !waiting:
		return decision{kind: stopEarly, reason: string(model.FinishLength)}
	case ends && !waiting:
		return decision{kind: finished}
	case f.stopped:
		return decision{kind: stopEarly, reason: contract.ReasonStopped}
	case f.round >= f.maxRounds:
		return decision{kind: stopEarly, reason: contract.ReasonMaxRounds}
	case f.overspent != "":
		return decision{kind: stopEarly, reason: f.overspent}
	}
	return decision{kind: goOn, followUp: ends && f.steering == 0}
}

// failureClass says what the end of an Execute activity means for its call.
type failureClass int

const (
	arrived failureClass = iota
	stoppedByRun
	neverBegan
	// repeatable calls were lost in a worker of their own, and may be run again.
	repeatable
	mayHaveHappened
	broken
)

// classify reads the error of an Execute activity. Its own failures are values;
// an error is about the machine. The server repeats what may be repeated, but for
// a call that is pinned to one worker.
func classify(err error, effect tools.Effect, pinned bool) failureClass {
	if err == nil {
		return arrived
	}
	if temporal.IsCanceledError(err) {
		return stoppedByRun
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		switch app.Type() {
		case activities.TypeNotBegun, activities.TypeSessionGone:
			return neverBegan
		case activities.TypeWorkerStopped:
			var p activities.Heartbeat
			if app.HasDetails() && app.Details(&p) == nil && !p.Begun && !effect.Repeatable() {
				return neverBegan
			}
			return lostMidway(effect, pinned)
		}
	}
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return classifyTimeout(timeout, effect, pinned)
	}
	// A fault of the machine after the tool may have run.
	return uncertain(effect)
}

func classifyTimeout(timeout *temporal.TimeoutError, effect tools.Effect, pinned bool) failureClass {
	if timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START {
		return neverBegan
	}
	if effect.Repeatable() {
		return lostMidway(effect, pinned)
	}
	var p activities.Heartbeat
	if timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&p) == nil && p.Begun {
		return mayHaveHappened
	}
	return neverBegan
}

// lostMidway is a call that was lost while it ran. Where the server repeats, it
// has used up its attempts.
func lostMidway(effect tools.Effect, pinned bool) failureClass {
	if pinned && effect.Repeatable() {
		return repeatable
	}
	return uncertain(effect)
}

// uncertain is a lost call of which nobody knows how far it got. One that only
// reads has simply failed.
func uncertain(effect tools.Effect) failureClass {
	if effect == tools.EffectRead {
		return broken
	}
	return mayHaveHappened
}

// sessionLost tells whether an error says that the worker does not hold the
// call's session any more, or not for long.
func sessionLost(err error) bool {
	var timeout *temporal.TimeoutError
	return isType(err, activities.TypeSessionGone) || isType(err, activities.TypeWorkerStopped) ||
		(errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START)
}
