package workflows

import (
	"errand/activities/model"
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
