package workflows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/workflows/contract"
)

// A model that uses an id again makes a tool_call_id alone unclear. What may be
// the earlier call's answer, delivered twice, must not settle the later one;
// what cannot be that settles it.
func TestAnswerThatAnEarlierCallHasHadNamesItsAction(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		payload string
		// refused is a part of the reason, empty if the answer is taken.
		refused string
		want    contract.Receipt
	}{
		"the same answer, by call id": {
			payload: `{"tool_call_id":"1","output":"ok"}`, refused: `if "act_2_0" is meant, give its action_id`,
		},
		"the same answer in the other shape": {
			payload: `{"type":"function_call_output","call_id":"1","output":"ok"}`, refused: "names two calls",
		},
		"the same answer, by the action of the open call": {
			payload: `{"action_id":"act_2_0","output":"ok"}`, want: contract.Receipt{ID: "act_2_0", Status: "completed"},
		},
		"the same answer, by both ids": {
			payload: `{"action_id":"act_2_0","tool_call_id":"1","output":"ok"}`, want: contract.Receipt{ID: "act_2_0", Status: "completed"},
		},
		"the same answer, by the action of the earlier call": {
			payload: `{"action_id":"act_1_0","output":"ok"}`, want: contract.Receipt{ID: "act_1_0", Status: "completed", Repeated: true},
		},
		"another answer, by call id": {
			payload: `{"tool_call_id":"1","output":"better"}`, want: contract.Receipt{ID: "act_2_0", Status: "completed"},
		},
		"the same text as an error, by call id": {
			payload: `{"tool_call_id":"1","output":"ok","is_error":true}`, want: contract.Receipt{ID: "act_2_0", Status: "failed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), calls("1", "ask", `{}`), say("done"))
			answered := false
			b.RegisterDelayedCallback(func() { b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"ok"}`)) }, time.Minute)
			b.RegisterDelayedCallback(func() {
				b.update(contract.ToolOutput, row.payload, func(r contract.Receipt, err error) {
					answered = true
					if row.refused != "" {
						require.ErrorContains(t, err, row.refused)
						return
					}
					require.NoError(t, err)
					require.Equal(t, row.want, r)
				})
			}, 2*time.Minute)
			b.RegisterDelayedCallback(func() {
				b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_2_0","output":"late"}`))
			}, 3*time.Minute)
			_, err := b.run(clientRequest(""))
			require.NoError(t, err)
			require.True(t, answered)
		})
	}
}

func TestSignalThatComesTwiceDoesNotSettleALaterCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), calls("1", "ask", `{}`), say("done"))
	for _, at := range []time.Duration{time.Minute, 2 * time.Minute} {
		b.RegisterDelayedCallback(func() {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"first"}`))
		}, at)
	}
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, contract.PendingAction, status.Status, "the second delivery changed nothing")
		require.Contains(t, status.LastError, `if "act_2_0" is meant`)
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_2_0","output":"second"}`))
	}, 3*time.Minute)
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, []string{"first", "second"}, b.outputs())
	require.Contains(t, b.events(), "rejected")
}
