package workflows_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

// delegatedAt names a delegated run by the places of the calls above it, for
// example "1/0" and "1/0/2/1"; empty for a run from outside.
func delegatedAt(runID string) string {
	var places []string
	for parts := strings.Split(runID, "/"); len(parts) > 3; parts = parts[3:] {
		places = append(places, parts[2], parts[3])
	}
	return strings.Join(places, "/")
}

func (b *bench) inferBelow(places string, round int) (activities.InferResult, error) {
	answers := b.below[places]
	b.asked = append(b.asked, places)
	if round > len(answers) {
		return activities.InferResult{}, temporal.NewNonRetryableApplicationError("no answer is scripted", activities.TypeModelRejected, nil)
	}
	if err, fails := answers[round-1].(error); fails {
		return activities.InferResult{}, err
	}
	return answers[round-1].(activities.InferResult), nil
}

const delegating = `{"model":"m","input":"go","tools":[{"type":"platform","name":"delegate"},
	{"type":"function","name":"ask"},{"type":"platform","name":"look"},{"type":"platform","name":"write"}]%s}`

func newDelegation(t *testing.T, below map[string][]any, script ...any) *bench {
	t.Helper()
	b := newBench(t, source{"look": answers("seen"), "write": answers("written")}, activities.Hooks{}, script...)
	b.SetOnActivityCompletedListener(func(*activity.Info, converter.EncodedValue, error) {}) // ids are of one run
	b.below = below
	return b
}

func delegation(extra string) string { return strings.Replace(delegating, "%s", extra, 1) }

func used(r activities.InferResult, tokens int64) activities.InferResult {
	r.Usage = &item.Usage{InputTokens: tokens, TotalTokens: tokens}
	return r
}

func TestDelegatedRunAnswersItsCallAndItsUsageCounts(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, map[string][]any{
		"1/0": {used(calls("x", "look", `{}`), 10), used(say("found it"), 20)},
		"1/1": {used(say("nothing"), 30)},
	}, used(calls("1", "delegate", `{"task":"look"}`, "2", "delegate", `{"task":"think"}`), 1), used(say("done"), 2))
	result, err := b.run(delegation(""))
	require.NoError(t, err)
	require.Equal(t, []string{"found it", "nothing"}, b.outputs())
	require.EqualValues(t, 63, result.Usage.TotalTokens)
	require.Equal(t, "done", result.OutputText)
}

func TestDelegatedRunThatFailsIsAFailureAndItsTextIsNotTheAnswer(t *testing.T) {
	t.Parallel()
	broken := temporal.NewNonRetryableApplicationError("the provider broke", activities.TypeModelRejected, nil)
	partly := calls("x", "look", `{}`)
	partly.Items = append(say("partial").Items, partly.Items...)
	cut := say("partial")
	cut.Finish = model.FinishLength
	b := newDelegation(t, map[string][]any{
		"1/0": {used(partly, 7), broken}, "1/1": {used(cut, 5)},
	}, calls("1", "delegate", `{"task":"a"}`, "2", "delegate", `{"task":"b"}`), say("done"))
	result, err := b.run(delegation(""))
	require.NoError(t, err, "it is the model's to decide what a failure means")
	require.Contains(t, b.outputs()[0], "ModelRejected: the provider broke")
	require.Contains(t, b.outputs()[1], "incomplete (max_output_tokens)")
	for _, output := range b.outputs() {
		require.Contains(t, output, "ExecutionFailed")
		require.NotContains(t, output, "partial")
	}
	for _, trace := range result.Run.Traces {
		require.Equal(t, "failed", string(trace.Status))
	}
	require.EqualValues(t, 12, result.Usage.TotalTokens, "what failed was used all the same")
}

func TestClientAnswersADelegatedCallAtTheRunItKnows(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, map[string][]any{
		"1/0":     {calls("mid", "delegate", `{"task":"deeper","tools":["ask"]}`), say("from below: yes")},
		"1/0/1/0": {calls("deep", "ask", `{"q":1}`), say("yes")},
	}, calls("1", "delegate", `{"task":"a","tools":["ask","delegate"]}`), say("done"))
	const action = "act_1_0_act_1_0_act_1_0"
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, contract.PendingAction, status.Status)
		require.Len(t, status.Actions, 1)
		m := status.Actions[0].Manifest
		require.Equal(t, contract.Manifest{
			Type: contract.ManifestType, RunID: status.RunID, ActionID: action, ToolCallID: "deep", Tool: "ask", Args: json.RawMessage(`{"q":1}`),
		}, m)
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"`+action+`","output":"yes"}`))
	}, time.Minute)
	_, err := b.run(delegation(""))
	require.NoError(t, err)
	require.Equal(t, []string{"from below: yes"}, b.outputs())
	var status contract.StatusReport
	b.query(contract.QueryStatus, &status)
	require.Empty(t, status.Actions)
	require.Zero(t, status.Rejected)
}

func TestDelegatedCallThatExpiresIsClosedAtTheRunAbove(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, map[string][]any{"1/0": {calls("deep", "ask", `{}`), say("nobody was there")}},
		calls("1", "delegate", `{"task":"a"}`), say("done"))
	_, err := b.run(delegation(`,"run":{"client_timeout":"1h"}`))
	require.NoError(t, err)
	require.Equal(t, []string{"nobody was there"}, b.outputs())
	require.Contains(t, strings.Join(b.events(), "\n"), "tool_execution_end deep")
}

func TestCancelReachesADelegatedRunAndClosesItsCalls(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, map[string][]any{"1/0": {used(calls("deep", "ask", `{}`), 9), say("never")}},
		calls("1", "delegate", `{"task":"a"}`), say("never"))
	b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
	result, err := b.run(delegation(""))
	require.Error(t, err)
	require.Equal(t, contract.Cancelled, result.Status)
	require.EqualValues(t, 9, result.Usage.TotalTokens)
	for _, trace := range result.Run.Traces {
		require.Equal(t, "cancelled", string(trace.Status))
	}
	var status contract.StatusReport
	b.query(contract.QueryStatus, &status)
	require.Empty(t, status.Actions)
}

func TestStopAfterToolsReachesADelegatedRun(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, map[string][]any{"1/0": {calls("deep", "ask", `{}`), say("never")}},
		calls("1", "delegate", `{"task":"a"}`), say("never"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.StopRun, contract.Stop{Mode: contract.StopAfterTools})
	}, time.Minute)
	result, err := b.run(delegation(""))
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	require.Contains(t, b.outputs()[0], "incomplete (stopped)")
}

func TestDelegatedRunKeepsThePlanAndTheBounds(t *testing.T) {
	t.Parallel()
	more := `{"task":"a","tools":["delegate","write"]}`
	b := newDelegation(t, map[string][]any{
		"1/0":         {calls("w", "write", `{}`, "d", "delegate", more), say("top")},
		"1/0/1/1":     {calls("d", "delegate", more), say("middle")},
		"1/0/1/1/1/0": {say("too deep")},
	}, calls("1", "delegate", more, "2", "delegate", `{"task":"a","tools":["nope"]}`, "3", "delegate", `{}`), say("done"))
	executed := 0
	b.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == "Execute" {
			executed++
		}
	})
	_, err := b.run(delegation(`,"run":{"read_only":true}`))
	require.NoError(t, err)
	require.Zero(t, executed, "a delegated run is read-only as well")
	require.Equal(t, []string{"1/0", "1/0/1/1", "1/0/1/1", "1/0"}, b.asked, "two runs below each other, no third")
	require.Equal(t, "top", b.outputs()[0])
	require.Contains(t, b.outputs()[1], `this run has no \"nope\"`)
	require.Contains(t, b.outputs()[2], "InvalidArguments")
}

func TestDelegatedRunAsksNobodyForAnApproval(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"write": answers("written")}, activities.Hooks{
		Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
			if c.Call.Tool == "write" {
				return activities.Ask("it writes"), nil
			}
			return activities.Allow(), nil
		}},
	}, calls("1", "delegate", `{"task":"a"}`), say("done"))
	b.SetOnActivityCompletedListener(func(*activity.Info, converter.EncodedValue, error) {})
	b.below = map[string][]any{"1/0": {calls("w", "write", `{}`), say("not written")}}
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"delegate"},{"type":"platform","name":"write"}]}`)
	require.NoError(t, err)
	require.Equal(t, []string{"not written"}, b.outputs())
}

func TestDelegatedRunCannotBeStartedFromOutside(t *testing.T) {
	t.Parallel()
	b := newDelegation(t, nil)
	b.ExecuteWorkflow(contract.TypeDelegated, json.RawMessage(`{"model":"m","input":"go"}`))
	_, err := b.ending()
	require.ErrorContains(t, err, "start a Run")
}
