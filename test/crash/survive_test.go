package crash

import (
	"errors"

	"errand/starter"
	"errand/test/world"
	"errand/tools"
	"errand/workflows/contract"
)

// checkSurvival: the run has ended as the reference did.
func (tr *trial) checkSurvival(ref *reference) {
	if tr.err != nil {
		tr.violate(sameResult, "the run ended with: %v", tr.err)
		return
	}
	tr.measure()
	tr.checkTranscript(ref, one)
	for _, text := range tr.told.refused {
		tr.violate(nothingLost, "an answer of the client was refused: %s", text)
	}
}

// one is how often a call may be executed.
func one(deed) int { return 1 }

// checkTranscript compares a run that has ended well with the reference.
// executions is how often a call may have been executed on purpose: more than
// once after a reset only.
func (tr *trial) checkTranscript(ref *reference, executions func(deed) int) {
	if tr.err != nil {
		tr.violate(sameResult, "the run ended with: %v", tr.err)
		return
	}
	got := tr.tell()
	tr.checkTalk(got.talk)
	tr.checkEvents()
	tr.compare(ref, got)
	tr.checkWorld(ref, got, executions)
	tr.checkClosed()
	tr.checkSessions()
	tr.checkReports()
}

// measure puts down how long histories are.
func (tr *trial) measure() {
	n := int64(len(tr.whole()))
	for old := longest.Load(); n > old && !longest.CompareAndSwap(old, n); old = longest.Load() {
	}
	for old := shortest.Load(); (old == 0 || n < old) && !shortest.CompareAndSwap(old, n); old = shortest.Load() {
	}
}

// compare allows one difference: the outcome of a once call may be unknown.
func (tr *trial) compare(ref *reference, got transcript) {
	if got.head != ref.head {
		tr.violate(sameResult, "%s\nand not %s", got.head, ref.head)
	}
	lost := map[string]bool{}
	for d, id := range calls {
		if effects[d.tool] == tools.EffectOnce && got.outcome[id] == tools.Unknown {
			lost[id] = true
			tr.unknown++
		}
	}
	for id, trace := range ref.traces {
		if got.traces[id] != trace && !lost[id] {
			tr.violate(nothingLost, "call %s: %s\nand not %s", id, got.traces[id], trace)
		}
	}
	if len(got.traces) != len(ref.traces) {
		tr.violate(nothingLost, "%d traces and not %d", len(got.traces), len(ref.traces))
	}
	tr.same("item of the conversation", got.talk, ref.talk, lost)
	tr.same("item of the result", got.output, ref.output, lost)
}

// same compares items, but for the outputs of lost calls.
func (tr *trial) same(what string, got, want []string, lost map[string]bool) {
	if len(got) != len(want) {
		tr.violate(sameResult, "%d times %s, and not %d", len(got), what, len(want))
		return
	}
	for i := range got {
		if id, isOutput := callOf(got[i]); isOutput && lost[id] {
			continue
		}
		if got[i] != want[i] {
			tr.violate(sameResult, "%s %d: %s\nand not %s", what, i, got[i], want[i])
		}
	}
}

// checkWorld compares what has reached the world with what the run says.
func (tr *trial) checkWorld(ref *reference, got transcript, executions func(deed) int) {
	deeds := tr.deeds()
	for d, id := range calls {
		n := len(deeds[d])
		if n > 1 {
			tr.repeated += n - 1
		}
		status := got.outcome[id]
		tr.checkKeys(ref, d, deeds[d])
		switch {
		case effects[d.tool] == tools.EffectOnce && n > executions(d):
			tr.violate(onceAtMostOnce, "%s %s took place %d times", d.tool, d.body, n)
		case status == tools.Succeeded && n == 0:
			tr.violate(nothingLost, "%s %s never reached the world, and the run says that it succeeded", d.tool, d.body)
		}
	}
	for d := range deeds {
		if _, known := calls[d]; !known {
			tr.violate(appliedOnce, "%s %s was never asked for", d.tool, d.body)
		}
	}
}

func (tr *trial) checkKeys(ref *reference, d deed, all []world.Effect) {
	for _, e := range all {
		if key := tr.plain([]byte(e.Key)); key != ref.keys[d] {
			tr.violate(appliedOnce, "%s %s came with the key %s, and not %s", d.tool, d.body, key, ref.keys[d])
		}
	}
}

// checkClosed: nothing of the run waits any more.
func (tr *trial) checkClosed() {
	status, err := tr.status()
	switch {
	case err != nil:
		tr.violate(nothingOpen, "the status cannot be read: %v", err)
	case !status.Status.Terminal() || len(status.Actions)+len(status.Approvals) > 0:
		tr.violate(nothingOpen, "%s", encode(status))
	}
}

// status asks until somebody replies: on a busy machine one question may get no
// answer in time.
func (tr *trial) status() (status contract.StatusReport, err error) {
	for tr.ctx.Err() == nil {
		if status, err = tr.run.Status(tr.ctx); !errors.Is(err, starter.ErrNoReply) {
			return status, err
		}
	}
	return status, err
}
