package test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"errand/activities"
	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/workflows/contract"
)

// shutdown is what goes on while a worker is told to stop, and what becomes of
// it.
type shutdown struct {
	tool string
	env  []string
	// holds is what the world keeps from its end until the worker has left.
	holds string
	// at waits until the run is where the worker is to be stopped.
	at func(*crashStage, *starter.Run)
	// between does somebody's part once the next worker is there.
	between func(*crashStage, *starter.Run)
	// calls is how often the tool is reached in all.
	calls int
	want  tools.OutcomeStatus
}

func insideTool(s *crashStage, run *starter.Run) {
	tool := s.waitsIn
	harness.Eventually(s.t, patience, func() (bool, string) {
		return len(s.world.Arrived(tool)) == 1, run.ID()
	}, tool+" is running")
}

func insideOpening(s *crashStage, _ *starter.Run) {
	harness.Eventually(s.t, patience, func() (bool, string) { return len(s.world.Arrived("open")) == 1, "" }, "a box is being opened")
}

func insideInference(s *crashStage, _ *starter.Run) {
	harness.Eventually(s.t, patience, func() (bool, string) { return s.model.Hanging() == 1, "" }, "an inference in flight")
}

func afterOwnCalls(s *crashStage, run *starter.Run) {
	pendingAction(s.t, run)
	ended := func(e contract.Event) bool { return e.Type == contract.EventToolEnd && e.ToolCallID == "c1" }
	harness.Eventually(s.t, patience, func() (bool, string) {
		page, err := run.Events(s.t.Context(), 0)
		return err == nil && slices.ContainsFunc(page.Events, ended), fmt.Sprint(err)
	}, "the worker's own call has ended")
}

func atApproval(s *crashStage, run *starter.Run) {
	harness.Eventually(s.t, patience, func() (bool, string) {
		status, err := run.Status(s.t.Context())
		return err == nil && len(status.Approvals) == 1, fmt.Sprint(err)
	}, "an open approval")
}

func approve(s *crashStage, run *starter.Run) {
	_, err := run.Approve(within(s.t), starter.Approved("apr_1_0", "ada"))
	require.NoError(s.t, err)
}

// TestWorkerThatIsToldToStopHandsBackWhatItDoes: what does not end while the
// worker drains goes on elsewhere, by its effect, and never counts as stopped by
// a person.
func TestWorkerThatIsToldToStopHandsBackWhatItDoes(t *testing.T) {
	t.Parallel()
	deaf := []string{"DEAF=1"}
	for name, row := range map[string]shutdown{
		"an inference":                   {tool: "apply", at: insideInference, calls: 1, want: tools.Succeeded},
		"a read":                         {tool: "look", holds: "look", at: insideTool, calls: 2, want: tools.Succeeded},
		"a read that does not listen":    {tool: "look", holds: "look", env: deaf, at: insideTool, calls: 2, want: tools.Succeeded},
		"an idempotent call":             {tool: "apply", holds: "apply", at: insideTool, calls: 2, want: tools.Succeeded},
		"an idempotent one that is deaf": {tool: "apply", holds: "apply", env: deaf, at: insideTool, calls: 2, want: tools.Succeeded},
		"a once call":                    {tool: "pay", holds: "pay", at: insideTool, calls: 1, want: tools.Unknown},
		"a once call that is deaf":       {tool: "pay", holds: "pay", env: deaf, at: insideTool, calls: 1, want: tools.Unknown},
		"a once call that is asked":      {tool: "settle", holds: "settle", at: insideTool, calls: 2, want: tools.Succeeded},
		"a call in an open box":          {tool: "work", holds: "work", at: insideTool, calls: 2, want: tools.Succeeded},
		"an opening":                     {tool: "work", holds: "open", at: insideOpening, calls: 1, want: tools.Succeeded},
		"an approval":                    {tool: "pay", env: []string{"GUARD=pay"}, at: atApproval, between: approve, calls: 1, want: tools.Succeeded},
		"a client call":                  {tool: "pay", at: afterOwnCalls, calls: 1, want: tools.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.play(t)
		})
	}
}

func (row shutdown) play(t *testing.T) {
	t.Helper()
	var stopped atomic.Bool
	inference := row.tool == "apply" && row.calls == 1
	s := newCrashStage(t, func(d harness.Decoded) harness.Answer {
		if inference && !stopped.Load() {
			return harness.Hang()
		}
		return crashScript(row.tool)(d)
	})
	s.waitsIn = row.tool
	if row.holds != "" {
		s.world.Hold(row.holds)
	}
	first := s.startWorker(row.env...)
	run := s.start(row.tool)
	row.at(s, run)
	first.Terminate()
	require.Zero(t, first.Wait(t, patience), first.Output())
	stopped.Store(true)
	s.world.Release(row.holds)
	if row.holds != "open" {
		require.Equal(t, keys(s.world.Arrived("open")), keys(s.world.Arrived("close")), "nothing stays open")
	}
	s.startWorker()
	if row.between != nil {
		row.between(s, run)
	}
	result := s.finish(run)
	row.check(t, s, run, result)
}

func (row shutdown) check(t *testing.T, s *crashStage, run *starter.Run, result *contract.Result) {
	t.Helper()
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": row.want, "c2": tools.Succeeded}, statuses(result))
	if row.want == tools.Succeeded {
		requireUncrashedResult(t, result, run)
		require.Equal(t, 1, s.world.Applied()-len(s.world.Arrived("close")), "one effect, and each box that was open is closed")
	}
	arrived := s.world.Arrived(row.tool)
	require.Len(t, arrived, row.calls)
	for _, e := range arrived {
		require.Equal(t, run.ID()+"/1/0", e.Key, "every attempt has the key of the call")
	}
	require.Equal(t, contract.Completed, result.Status)
	require.Nil(t, result.Run.Stop)
	s.requireNobodyCancelled(run)
	if row.calls == 1 && row.tool == "apply" {
		s.requireHandedBack(run)
	}
}

// requireHandedBack wants the first inference to have been given up by its
// worker: nobody had to wait until it counted as lost.
func (s *crashStage) requireHandedBack(run *starter.Run) {
	s.t.Helper()
	for _, e := range fetchHistory(s.t, s.client, run.ID()).GetEvents() {
		if started := e.GetActivityTaskStartedEventAttributes(); started != nil {
			require.Equal(s.t, activities.TypeWorkerStopped, started.GetLastFailure().GetApplicationFailureInfo().GetType())
			return
		}
	}
	require.Fail(s.t, "nothing was started")
}

// requireNobodyCancelled looks for a cancel of the run or of an activity.
func (s *crashStage) requireNobodyCancelled(run *starter.Run) {
	s.t.Helper()
	for _, e := range fetchHistory(s.t, s.client, run.ID()).GetEvents() {
		require.NotContains(s.t, []enums.EventType{
			enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED,
			enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED, enums.EVENT_TYPE_ACTIVITY_TASK_CANCELED,
		}, e.GetEventType())
	}
}
