package crash

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

// notice is how long a worker may take to learn that a run is gone: its next
// heartbeats are refused.
const notice = 3 * time.Second

func TestTerminatedAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "terminated, each event"}.play(t, every(ref.events, 3, atEvent), func(tr *trial, m moment) {
		tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			err := tr.site.client.TerminateWorkflow(tr.ctx, tr.run.ID(), "", "crash test")
			if gone := new(serviceerror.NotFound); err != nil && !errors.As(err, &gone) {
				tr.t.Fatal(err)
			}
		}
		tr.checkCut(ref, starter.Terminated)
	})
}

// limits is how many execution time-outs are tried, spread over the time that
// the reference took.
const limits = 24

func TestExecutionTimesOutAnywhere(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(limits, 2, func(n int) moment {
		return moment{name: fmt.Sprintf("limit %d of %d", n, limits)}
	})
	sweep{title: "execution timed out"}.play(t, moments, func(tr *trial, m moment) {
		var n int
		if _, err := fmt.Sscanf(m.name, "limit %d", &n); err != nil {
			tr.t.Fatal(err)
		}
		tr.worker()
		tr.startWithin(ref.took * time.Duration(n) / limits)
		tr.checkCut(ref, starter.TimedOut)
	})
}

// noTimeForTheModel tells whether the run itself gave up shortly before its
// time was over: no attempt at an inference fitted into the rest.
func noTimeForTheModel(err error) bool {
	var failed *starter.RunFailedError
	return errors.As(err, &failed) && failed.Type == contract.ErrModelUnavailable
}

// checkCut: the run was closed from outside and has no result, or it was too
// fast for that.
func (tr *trial) checkCut(ref *reference, how contract.Status) {
	if !tr.wait() {
		return
	}
	closed := time.Now()
	var cut *starter.ClosedError
	switch {
	case tr.err == nil:
		tr.checkSurvival(ref)
		return
	case how == starter.TimedOut && noTimeForTheModel(tr.err):
		tr.reached = true
		tr.checkWorld(ref, transcript{outcome: map[string]tools.OutcomeStatus{}}, one)
		tr.checkSessions()
		return
	case !errors.As(tr.err, &cut) || cut.Status != how:
		tr.violate(sameResult, "the run ended with %v", tr.err)
		return
	}
	tr.reached = true
	tr.stays(closed.Add(notice))
	tr.checkWorld(ref, transcript{outcome: map[string]tools.OutcomeStatus{}}, one)
	tr.checkSessions()
	if status, err := tr.status(); err != nil || status.Status != how || len(status.Actions) > 0 {
		tr.violate(nothingOpen, "%s %v", encode(status), err)
	}
}
