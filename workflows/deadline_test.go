package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

const threeDeadlines = `{"model":"m","input":"go","run":{"client_timeout":"1h"},"tools":[
	{"type":"function","name":"quick","client_timeout":"1m"},
	{"type":"function","name":"ask"},
	{"type":"namespace","name":"crm","tools":[{"name":"patient","client_timeout":"0s"}]}]}`

func TestToolsMayHaveADeadlineOfTheirOwn(t *testing.T) {
	t.Parallel()
	answer := calls("1", "quick", `{}`, "2", "ask", `{}`)
	answer.Items = append(answer.Items, json.RawMessage(
		`{"type":"function_call","call_id":"3","namespace":"crm","name":"patient","arguments":"{}"}`))
	b := newBench(t, nil, activities.Hooks{}, answer, say("done"))
	open := func() []string {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		var tools []string
		for _, a := range status.Actions {
			tools = append(tools, a.Tool)
			require.Equal(t, a.Tool == "patient", a.ExpiresAt.IsZero(), a.Tool)
		}
		return tools
	}
	b.RegisterDelayedCallback(func() { require.Equal(t, []string{"quick", "ask", "patient"}, open()) }, 30*time.Second)
	b.RegisterDelayedCallback(func() { require.Equal(t, []string{"ask", "patient"}, open()) }, 2*time.Minute)
	b.RegisterDelayedCallback(func() {
		require.Equal(t, []string{"patient"}, open())
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"3","output":"late and welcome"}`))
	}, 72*time.Hour)
	_, err := b.run(threeDeadlines)
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "nobody answered this call within 1m0s")
	require.Contains(t, b.outputs()[1], "nobody answered this call within 1h0m0s")
	require.Equal(t, "late and welcome", b.outputs()[2])
}

func TestDeadlineMayFailTheRunAndKeepsWhatWasDone(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{},
		calls("1", "ask", `{}`, "2", "a", `{}`, "3", "wait", `{}`), say("never"))
	result, err := b.run(`{"model":"m","input":"go","run":{"client_timeout":"1h","on_client_timeout":"fail"},"tools":[
		{"type":"function","name":"ask"},{"type":"platform","name":"a"},{"type":"function","name":"wait","client_timeout":"0s"}]}`)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, contract.ErrLimitExceeded, app.Type())
	require.Equal(t, contract.Failed, result.Status)
	require.Equal(t, `nobody answered action act_1_0 (tool "ask", call "1") within 1h0m0s, and run.on_client_timeout is "fail"`, result.Error.Message)
	require.Len(t, b.inputs, 1, "no inference after the deadline")
	got := b.outputs()
	require.Contains(t, got[0], "Expired")
	require.Equal(t, "A", got[1])
	require.Contains(t, got[2], "the run failed before this call was done")
	require.Equal(t, []tools.OutcomeStatus{tools.Succeeded, tools.Expired, tools.Cancelled}, statuses(result))
}

func statuses(result *contract.Result) []tools.OutcomeStatus {
	var all []tools.OutcomeStatus
	for _, trace := range result.Run.Traces {
		all = append(all, trace.Status)
	}
	return all
}

func TestDeadlineThatFailsTheRunStopsTheRestOfASequentialBatch(t *testing.T) {
	t.Parallel()
	ran := false
	b := newBench(t, source{"a": func(context.Context, tools.Invocation) (tools.Output, error) {
		ran = true
		return tools.Output{}, errors.New("must not run")
	}}, activities.Hooks{}, calls("1", "ask", `{}`, "2", "a", `{}`), say("never"))
	result, err := b.run(`{"model":"m","input":"go","run":{"client_timeout":"1h","on_client_timeout":"fail","tool_execution":"sequential"},
		"tools":[{"type":"function","name":"ask"},{"type":"platform","name":"a"}]}`)
	require.Error(t, err)
	require.False(t, ran)
	require.Equal(t, []tools.OutcomeStatus{tools.Expired, tools.Cancelled}, statuses(result))
}

func TestDeadlineOfAnApprovalMayFailTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, askAlways, calls("1", "a", `{}`), say("never"))
	result, err := b.run(`{"model":"m","input":"go","run":{"client_timeout":"1h","on_client_timeout":"fail"},"tools":[{"type":"platform","name":"a"}]}`)
	require.Error(t, err)
	require.Contains(t, result.Error.Message, "nobody answered approval apr_1_0")
}

var askAlways = activities.Hooks{Before: []activities.BeforeToolCall{func(context.Context, activities.HookCall) (activities.Decision, error) {
	return activities.Ask("it costs money"), nil
}}}

func TestOneDeadlineCoversTheApprovalAndTheCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, askAlways, calls("1", "ask", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
	}, 50*time.Minute)
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Empty(t, status.Actions, "the hour began with the approval request")
	}, 61*time.Minute)
	_, err := b.run(clientRequest(`,"run":{"client_timeout":"1h"}`))
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "Expired")
}

func TestDeadlinesAreCheckedWhenTheRequestIsRead(t *testing.T) {
	t.Parallel()
	for request, fault := range map[string]string{
		`"tools":[{"type":"function","name":"a","client_timeout":"soon"}]`:   `tools[0].client_timeout: "soon" is not a duration`,
		`"tools":[{"type":"custom","name":"a","client_timeout":5}]`:          `tools[0].client_timeout: must be a duration`,
		`"tools":[{"type":"platform","name":"a","client_timeout":"5s"}]`:     `tools[0].client_timeout: only function and custom tools`,
		`"run":{"tool_timeout":"2562047h47m16s"}`:                            `run.tool_timeout: "2562047h47m16s" is too long: write at most "87600h"`,
		`"run":{"client_timeout":"87600h1s"}`:                                `run.client_timeout: "87600h1s" is too long`,
		`"run":{"cancel_grace":"100000h"}`:                                   `run.cancel_grace: "100000h" is too long`,
		`"tools":[{"type":"function","name":"a","client_timeout":"90000h"}]`: `tools[0].client_timeout: "90000h" is too long`,
		`"run":{"on_client_timeout":"explode"}`:                              `run.on_client_timeout: must be "expire" or "fail"`,
	} {
		_, faults := contract.DecodeRequest([]byte(`{"model":"m","input":"go",` + request + `}`))
		require.ErrorContains(t, faults, fault, request)
	}
}
