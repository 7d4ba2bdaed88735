package workflows_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

// transition is what happens to an action that is in a state: it goes into the
// next one, or the attempt is refused.
type transition struct {
	from, event, next, refusal string
}

// TestEveryTransitionOfAnAction goes through all states of an action and all
// that may happen to it. The other ends, cancelled and expired, come from the
// run itself.
func TestEveryTransitionOfAnAction(t *testing.T) {
	t.Parallel()
	for _, row := range []transition{
		{"pending", "claim a", "processing", ""},
		{"pending", "answer x", "completed", ""},
		{"pending", "fail x", "failed", ""},
		{"processing", "claim a", "processing", ""},
		{"processing", "claim b", "", `claimed by "a"`},
		{"processing", "answer x", "completed", ""},
		{"processing", "fail x", "failed", ""},
		{"lease over", "claim a", "processing", ""},
		{"lease over", "claim b", "processing", ""},
		{"lease over", "answer x", "completed", ""},
		{"completed", "claim a", "", "already settled (completed)"},
		{"completed", "answer x", "completed", ""},
		{"completed", "answer y", "", "already settled (completed)"},
		{"completed", "fail x", "", "already settled (completed)"},
		{"failed", "claim a", "", "already settled (failed)"},
		{"failed", "answer x", "", "already settled (failed)"},
		{"failed", "fail x", "failed", ""},
		{"expired", "claim a", "", "already settled (expired)"},
		{"expired", "answer x", "", "already settled (expired)"},
		{"expired", "fail x", "", "already settled (expired)"},
	} {
		t.Run(row.from+" "+row.event, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// happen sends the update that an event means.
func (b *bench) happen(event string, check func(contract.Receipt, error)) {
	kind, word, _ := strings.Cut(event, " ")
	switch kind {
	case "claim":
		b.update(contract.ClaimAction, `{"action_id":"act_1_0","owner":"`+word+`","lease":"1h"}`, check)
	case "answer":
		b.update(contract.ToolOutput, `{"action_id":"act_1_0","output":"`+word+`"}`, check)
	case "fail":
		b.update(contract.ToolOutput, `{"action_id":"act_1_0","is_error":true,"output":"`+word+`"}`, check)
	}
}

func (row transition) check(t *testing.T) {
	t.Helper()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "stay", `{}`), say("done"))
	fine := func(_ contract.Receipt, err error) { require.NoError(t, err) }
	limit, at := "0s", 2*time.Minute
	before := map[string]string{
		"processing": "claim a", "lease over": "claim a", "completed": "answer x", "failed": "fail x",
	}[row.from]
	switch row.from {
	case "lease over":
		at = 3 * time.Hour
	case "expired":
		limit, at = "1m", 2*time.Minute
	}
	if before != "" {
		b.RegisterDelayedCallback(func() { b.happen(before, fine) }, time.Minute)
	}
	checked := false
	b.RegisterDelayedCallback(func() {
		b.happen(row.event, func(r contract.Receipt, err error) {
			checked = true
			if row.refusal != "" {
				require.ErrorContains(t, err, row.refusal)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.next, r.Status)
			require.Equal(t, row.from == row.next && row.from != "processing", r.Repeated)
		})
	}, at)
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_0","output":"the end"}`))
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_1","output":"the end"}`))
	}, at+time.Minute)
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask","client_timeout":"` + limit + `"},{"type":"function","name":"stay"}]}`)
	require.NoError(t, err)
	require.True(t, checked)
	require.Len(t, result.Run.Traces, 2, "one outcome a call, whatever happened")
	b.closed()
}

// closed checks that a run which has ended left nothing open.
func (b *bench) closed() {
	b.t.Helper()
	var status contract.StatusReport
	b.query(contract.QueryStatus, &status)
	require.True(b.t, status.Status.Terminal())
	require.Empty(b.t, status.Actions)
	require.Empty(b.t, status.Approvals)
}

func TestActionsAreFinalisedHoweverTheRunEnds(t *testing.T) {
	t.Parallel()
	const request = `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}],"run":{%s}}`
	for name, row := range map[string]struct {
		run  string
		act  func(*bench)
		want []tools.OutcomeStatus
	}{
		"cancelled":             {"", func(b *bench) { b.CancelWorkflow() }, []tools.OutcomeStatus{tools.Cancelled, tools.Cancelled}},
		"cancelled, claimed":    {"", func(b *bench) { b.happen("claim a", func(contract.Receipt, error) {}); b.CancelWorkflow() }, []tools.OutcomeStatus{tools.Cancelled, tools.Cancelled}},
		"cancelled, sequential": {`"tool_execution":"sequential"`, func(b *bench) { b.CancelWorkflow() }, []tools.OutcomeStatus{tools.Cancelled, tools.Cancelled}},
		"failed":                {`"client_timeout":"1h","on_client_timeout":"fail"`, func(*bench) {}, []tools.OutcomeStatus{tools.Expired, tools.Expired}},
		"expired":               {`"client_timeout":"1h"`, func(*bench) {}, []tools.OutcomeStatus{tools.Expired, tools.Expired}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
			b.RegisterDelayedCallback(func() { row.act(b) }, time.Minute)
			result, _ := b.run(strings.Replace(request, "%s", row.run, 1))
			require.Equal(t, row.want, statuses(result))
			require.Len(t, b.outputs(), 2, "every call has its output in the conversation")
			b.closed()
		})
	}
}

func TestInvalidCallHidesNothingAfterIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{"n":"x"}`, "2", "ask", `{"n":2}`, "3", "ask", `{"n":3}`), say("done"))
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Len(t, status.Actions, 2, "only what can be executed is handed over")
		for _, a := range status.Actions {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"`+a.ActionID+`","output":"`+a.ToolCallID+`"}`))
		}
		b.update(contract.ToolOutput, `{"tool_call_id":"1","output":"x"}`, func(_ contract.Receipt, err error) {
			require.ErrorContains(t, err, "unknown tool_call_id", "no action was opened for it")
		})
	}, time.Minute)
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`)
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], tools.ErrInvalidArguments)
	require.Equal(t, []string{"2", "3"}, b.outputs()[1:])
	require.Equal(t, "1", result.Run.Traces[0].ToolCallID)
	b.closed()
}

func TestFloodOfBadSignalsIsCountedAndKeptSmall(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	const flood = 500
	b.RegisterDelayedCallback(func() {
		for range flood {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"zzz","output":"x"}`))
		}
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, flood, status.Rejected)
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
	}, 2*time.Minute)
	result, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, 100, strings.Count(strings.Join(b.events(), " "), "rejected"))
	require.Contains(t, result.Run.Warnings, "500 signals were rejected; the events have the first 100")
}
