package crash

import (
	"errors"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

func TestCancelledAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "cancelled, each event"}.play(t, every(ref.events, 4, atEvent), cancel(ref))
}

// cancel cancels a run at a moment.
func cancel(ref *reference) func(*trial, moment) {
	return func(tr *trial, m moment) {
		tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			if err := tr.run.Cancel(tr.ctx); err != nil && !errors.Is(err, starter.ErrEnded) {
				tr.t.Fatal(err)
			}
		}
		if !tr.wait() {
			return
		}
		if tr.err == nil { // it had all but ended
			tr.checkSurvival(ref)
			return
		}
		tr.checkCancelled(ref)
	}
}

// checkCancelled: the run has ended cancelled, with a partial result that is
// the beginning of the reference, and nothing has happened since.
func (tr *trial) checkCancelled(ref *reference) {
	closed := time.Now()
	if !errors.Is(tr.err, starter.ErrCancelled) || tr.result.Status != contract.Cancelled {
		tr.violate(sameResult, "the run ended with %v", tr.err)
		return
	}
	got := tr.tell()
	tr.checkTalk(got.talk)
	tr.checkEvents()
	tr.checkBeginning(ref, got)
	tr.checkClosed()
	tr.checkNothingScheduled()
	tr.stays(closed)
	tr.checkWorld(ref, got, one)
	tr.checkUntouched(got)
	tr.checkSessions()
	tr.checkReports()
}

// checkBeginning: what there is of the conversation is that of the reference,
// but for the calls that were cut off.
func (tr *trial) checkBeginning(ref *reference, got transcript) {
	cut := map[string]bool{}
	for id, status := range got.outcome {
		switch status {
		case tools.Cancelled:
			cut[id] = true
		case tools.Succeeded:
		default:
			tr.violate(sameResult, "call %s is %s", id, status)
		}
	}
	if len(got.talk) > len(ref.talk) {
		tr.violate(sameResult, "%d items, and the reference has %d", len(got.talk), len(ref.talk))
		return
	}
	tr.same("item of the conversation", got.talk, ref.talk[:len(got.talk)], cut)
}

// checkNothingScheduled looks into the history: after the request to cancel,
// no tool and no model was asked for anything.
func (tr *trial) checkNothingScheduled() {
	cancelled := false
	for _, e := range tr.whole() {
		switch e.GetEventType() { //nolint:exhaustive // two of many
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
			cancelled = true
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			name := e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
			if cancelled && (name == "Execute" || name == "Infer" || name == "OpenSession") {
				tr.violate(nothingAfter, "event %d schedules %s after the request to cancel", e.GetEventId(), name)
			}
		}
	}
}

// checkUntouched: what never reached the world is not said to have succeeded,
// and a call that nobody knows of has not been executed.
func (tr *trial) checkUntouched(got transcript) {
	for d, effects := range tr.deeds() {
		if _, told := got.outcome[calls[d]]; !told {
			tr.violate(nothingLost, "%s %s took place %d times and has no outcome", d.tool, d.body, len(effects))
		}
	}
}

// quiet is how long nothing must happen after an end.
const quiet = 2 * time.Second

// stays waits, and looks whether anything has reached the world or the model
// since a time.
func (tr *trial) stays(since time.Time) {
	timer := time.NewTimer(time.Until(since) + quiet)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-tr.ctx.Done():
	}
	for _, e := range tr.world.All() {
		if e.At.After(since) {
			tr.violate(nothingAfter, "%s %s reached the world %s after the end", e.Tool, e.Body, e.At.Sub(since))
		}
	}
	for _, q := range tr.model.Requests() {
		if q.At.After(since) {
			tr.violate(nothingAfter, "the model was asked %s after the end", q.At.Sub(since))
		}
	}
}
