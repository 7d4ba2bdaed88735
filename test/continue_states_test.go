package test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/workflows/contract"
)

// midState is a state that can outlast a continuation, and a run that comes into
// it.
type midState struct {
	name    string
	options starter.RunOptions
	says    []harness.Answer
	// form brings a run that waits for its client into the state, after lead; nil
	// where it comes there by itself.
	lead, form func(t *testing.T, run *starter.Run)
	// open tells whether a run is in the state. leave has it go on.
	open  func(status contract.StatusReport) bool
	leave func(t *testing.T, run *starter.Run)
	// check looks at the end of the run, unless nil.
	check func(s *midStage, result *contract.Result)
	// activates is true if something is opened for the run.
	activates bool
}

var midStates = []midState{
	{
		name: "approval", says: []harness.Answer{harness.Call("look", `{}`), harness.Say("done")},
		open: func(s contract.StatusReport) bool {
			return len(s.Approvals) == 1 && s.Approvals[0].Reason == "it is guarded"
		},
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Approve(within(t), starter.Approved("apr_1_0", "ada"))
			require.NoError(t, err)
		},
	},
	{
		name: "claim", says: asksOnce, options: starter.RunOptions{ClientTimeout: starter.Duration(time.Hour)},
		form: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Claim(within(t), contract.Claim{ActionID: "act_1_0", Owner: "host", Lease: "30m"})
			require.NoError(t, err)
		},
		open: func(s contract.StatusReport) bool {
			return len(s.Actions) == 1 && s.Actions[0].Owner == "host" && !s.Actions[0].ExpiresAt.IsZero()
		},
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Claim(within(t), contract.Claim{ActionID: "act_1_0", Owner: "other", Lease: "30m"})
			require.ErrorContains(t, err, `claimed by "host"`)
			requireAbsolute(t, run)
			answerFirst(t, run)
		},
	},
	{
		name: "messages", says: []harness.Answer{harness.Call("ask", `{}`), harness.Say("more?"), harness.Say("done")},
		lead: sends(contract.Message{ID: "m1", Content: json.RawMessage(`"then this"`), Deliver: contract.DeliverFollowUp}),
		form: sends(contract.Message{ID: "m2", Content: json.RawMessage(`"hurry"`)}),
		open: func(s contract.StatusReport) bool { return len(s.Actions) == 1 },
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			again, err := run.Send(within(t), contract.Message{ID: "m2", Content: json.RawMessage(`"hurry"`)})
			require.NoError(t, err)
			require.True(t, again.Repeated)
			answerFirst(t, run)
		},
	},
	{
		name: "activation", says: []harness.Answer{
			harness.Call("work", `{"n":1}`), harness.Call("ask", `{}`), harness.Call("work", `{"n":2}`), harness.Say("done"),
		},
		open: func(s contract.StatusReport) bool {
			return len(s.Actions) == 1 && len(s.Sessions) == 1 && s.Sessions[0].Status == contract.SessionOpen
		},
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Answer(within(t), starter.Output("act_2_0", "yes"))
			require.NoError(t, err)
		},
		activates: true, check: checkBoxes,
	},
	{
		name: "budget", says: []harness.Answer{harness.Call("apply", `{}`), harness.Say("done")},
		options: starter.RunOptions{MaxRounds: 1, OnBudget: contract.BudgetAsk},
		open: func(s contract.StatusReport) bool {
			return s.Budget != nil && s.Budget.Reason == contract.ReasonMaxRounds
		},
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Extend(within(t), contract.Extend{MaxRounds: 2, Actor: "ada"})
			require.NoError(t, err)
		},
	},
	{
		name: "stop", says: asksOnce,
		form: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Stop(within(t), stopBy(contract.StopAfterRound))
			require.NoError(t, err)
		},
		open:  func(s contract.StatusReport) bool { return s.Stop != nil && len(s.Actions) == 1 },
		leave: answerFirst,
		check: func(s *midStage, result *contract.Result) {
			require.Equal(s.t, contract.Incomplete, result.Status)
			requireStopped(s.t, result, contract.StopAfterRound)
		},
	},
	{
		name: "delegated", says: []harness.Answer{harness.Call("delegate", `{"task":"below"}`), harness.Say("done")},
		open: func(s contract.StatusReport) bool {
			return len(s.Actions) == 1 && s.Actions[0].ActionID == "act_1_0_act_1_0"
		},
		leave: func(t *testing.T, run *starter.Run) {
			t.Helper()
			_, err := run.Answer(within(t), starter.Output("act_1_0_act_1_0", "yes"))
			require.NoError(t, err)
		},
	},
}

var asksOnce = []harness.Answer{harness.Call("ask", `{}`), harness.Say("done")}

func sends(m contract.Message) func(*testing.T, *starter.Run) {
	return func(t *testing.T, run *starter.Run) {
		t.Helper()
		_, err := run.Send(within(t), m)
		require.NoError(t, err)
	}
}

func answerFirst(t *testing.T, run *starter.Run) {
	t.Helper()
	_, err := run.Answer(within(t), starter.Output("act_1_0", "yes"))
	require.NoError(t, err)
}

// requireAbsolute: the deadline of the open action is an hour after it was handed
// over, whatever has happened since.
func requireAbsolute(t *testing.T, run *starter.Run) {
	t.Helper()
	status, err := run.Status(within(t))
	require.NoError(t, err)
	events, err := run.Events(within(t), 0)
	require.NoError(t, err)
	for _, e := range events.Events {
		if e.Type == contract.EventManifest {
			require.Equal(t, e.At.Add(time.Hour), status.Actions[0].ExpiresAt)
		}
	}
}

// checkBoxes: the box was opened once and closed once. One that the killed worker
// held went with it, is told as lost, and has one successor. Every call took place
// once.
func checkBoxes(s *midStage, result *contract.Result) {
	var opened, closed, worked []string
	for _, e := range s.world.All() {
		switch {
		case !strings.HasPrefix(e.Key, result.ID+"/"):
		case e.Tool == "open":
			opened = append(opened, e.Key)
		case e.Tool == "close":
			closed = append(closed, e.Key)
		case e.Tool == "work":
			worked = append(worked, e.Key)
		}
	}
	require.Equal(s.t, []string{result.ID + "/1/0", result.ID + "/3/0"}, worked)
	require.Len(s.t, result.Run.Release, len(opened))
	last := result.Run.Release[len(opened)-1]
	require.Empty(s.t, last.Error)
	require.Equal(s.t, opened[len(opened)-1:], closed)
	if s.when == never || s.apart {
		require.Len(s.t, opened, 1)
		return
	}
	require.Len(s.t, opened, 2)
	require.NotEmpty(s.t, result.Run.Release[0].Error)
}
