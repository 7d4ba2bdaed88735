package crash

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/test/harness"
)

// process finds a worker by its identity, which begins with the process id.
func (tr *trial) process(identity string) *harness.Process {
	id, _, _ := strings.Cut(identity, "@")
	for _, p := range tr.workers {
		if strconv.Itoa(p.PID()) == id {
			return p
		}
	}
	return nil
}

func TestPausedWorkerAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "one of two workers paused, each event"}.play(t, every(ref.events, 2, atEvent), func(tr *trial, m moment) {
		tr.worker()
		tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			p := tr.busy()
			require.NoError(tr.t, tr.pause(p))
			after(activities.HeartbeatTimeout + 2*time.Second).wait(tr)
			require.NoError(tr.t, goOn(p))
		}
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	})
}

// busy is the worker that has a call or an inference of the run, or had its
// latest workflow task.
func (tr *trial) busy() *harness.Process {
	tr.t.Helper()
	found, err := tr.site.client.DescribeWorkflow(tr.ctx, tr.run.ID(), "")
	require.NoError(tr.t, err)
	for _, a := range found.RawResponse.GetPendingActivities() {
		if p := tr.process(a.GetLastWorkerIdentity()); p != nil {
			return p
		}
	}
	p := tr.workers[0]
	for _, e := range tr.history(tr.first) {
		if q := tr.process(e.GetWorkflowTaskCompletedEventAttributes().GetIdentity()); q != nil {
			p = q
		}
	}
	return p
}

// late is what a tool says to a worker that has been given up.
const late = "too late"

// refusedLate is what the worker logs once the server has refused the result.
func refusedLate(tool string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)` + tool + ` brought back "` + late + `".*"ActivityWorker", "Error": "invalid activityID or activity already timed out`)
}

// A tool that does not look at its context gives its result to a worker that
// was given up long ago, while the run still goes on.
func TestLateCompletionIsNotApplied(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := []moment{{name: pay}, {name: apply}, {name: look}}
	if !*full {
		moments = moments[:2]
	}
	sweep{title: "late completion of a paused worker"}.play(t, moments, func(tr *trial, m moment) {
		tr.reached = true
		stall := tr.world.Stall(m.name, late)
		closed := tr.shut()
		tr.worker()
		tr.worker()
		tr.start()
		arrived := <-stall.Arrived
		p := tr.process(arrived.Worker)
		require.NotNil(tr.t, p, arrived.Worker)
		require.NoError(tr.t, tr.pause(p))
		tr.givenUp(strings.TrimPrefix(arrived.Key, tr.run.ID()+"/") + "/execute")
		stall.Release()
		require.NoError(tr.t, goOn(p))
		p.WaitForMatch(tr.t, refusedLate(m.name), patience)
		close(closed)
		if !tr.wait() {
			return
		}
		for i, text := range tr.talk() {
			if strings.Contains(text, late) {
				tr.violate(lateIsNotApplied, "item %d: %s", i, text)
			}
		}
		tr.checkSurvival(ref)
	}, "DEAF=1")
}

// givenUp waits until the server has given the first attempt of an activity up.
func (tr *trial) givenUp(activityID string) {
	tr.t.Helper()
	harness.Eventually(tr.t, patience, func() (bool, string) {
		found, err := tr.site.client.DescribeWorkflow(tr.ctx, tr.run.ID(), "")
		if err != nil {
			return false, err.Error()
		}
		for _, a := range found.RawResponse.GetPendingActivities() {
			if a.GetActivityId() == activityID {
				return a.GetAttempt() > 1, fmt.Sprint(a)
			}
		}
		return true, "" // it has ended, and not by the worker that stands still
	}, "the first attempt is given up")
}
