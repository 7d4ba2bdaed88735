package workflows_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/workflows/contract"
)

// update sends an update and hands its answer to check once it is there.
func (b *bench) update(name, payload string, check func(contract.Receipt, error)) {
	answer := &updateAnswer{check: check}
	b.UpdateWorkflow(name, "", answer, json.RawMessage(payload))
}

type updateAnswer struct {
	check func(contract.Receipt, error)
}

func (*updateAnswer) Accept()            {}
func (a *updateAnswer) Reject(err error) { a.check(contract.Receipt{}, err) }
func (a *updateAnswer) Complete(success any, err error) {
	receipt, _ := success.(contract.Receipt)
	a.check(receipt, err)
}

const oneClientTool = `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}]%s}`

func clientRequest(extra string) string { return strings.Replace(oneClientTool, "%s", extra, 1) }

func TestAnswersAreTakenOnceAndRefusedWithAReason(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
	accepted, refused := 0, map[string]string{}
	take := func(payload string, want contract.Receipt) {
		b.update(contract.ToolOutput, payload, func(r contract.Receipt, err error) {
			require.NoError(t, err, payload)
			require.Equal(t, want, r)
			accepted++
		})
	}
	refuse := func(payload string) {
		b.update(contract.ToolOutput, payload, func(_ contract.Receipt, err error) {
			require.Error(t, err, payload)
			refused[payload] = err.Error()
		})
	}
	b.RegisterDelayedCallback(func() {
		take(`{"tool_call_id":"1","output":"x"}`, contract.Receipt{ID: "act_1_0", Status: "completed"})
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		take(`{"action_id":"act_1_0","output":"x"}`, contract.Receipt{ID: "act_1_0", Status: "completed", Repeated: true})
		refuse(`{"tool_call_id":"1","output":"y"}`)
		refuse(`{"tool_call_id":"1","output":"x","is_error":true}`)
		refuse(`{"tool_call_id":"9","output":"x"}`)
		refuse(`{"action_id":"act_1_0","tool_call_id":"2","output":"x"}`)
		refuse(`{"output":"x"}`)
		refuse(`{"tool_call_id":"2"}`)
		refuse(`{"tool_call_id":2,"output":"x"}`)
		refuse(`{"type":"custom_tool_call_output","call_id":"2","output":"x"}`)
		refuse(`[1]`)
		refuse(`"x"`)
	}, 2*time.Minute)
	b.RegisterDelayedCallback(func() {
		take(`{"type":"function_call_output","call_id":"2","output":"broken","is_error":true}`, contract.Receipt{ID: "act_1_1", Status: "failed"})
	}, 3*time.Minute)
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, 3, accepted)
	require.Len(t, refused, 10)
	require.Contains(t, refused[`{"tool_call_id":"1","output":"y"}`], "already settled")
	require.Contains(t, refused[`{"tool_call_id":2,"output":"x"}`], "tool_call_id: must not be number")
	require.Equal(t, []string{"x", "broken"}, b.outputs())
}

func TestBadSignalsAreRecordedAndChangeNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, 17)
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"zzz","output":"x"}`))
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
		b.SignalWorkflow("tool_outptu", json.RawMessage(`{}`))
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"other"}`))
	}, time.Minute)
	result, err := b.run(clientRequest(""))
	require.NoError(t, err)
	rejected := 0
	for _, e := range b.events() {
		if e == "rejected" {
			rejected++
		}
	}
	require.Equal(t, 4, rejected)
	require.Equal(t, []string{"x"}, b.outputs(), "the first outcome wins")
	require.Contains(t, strings.Join(result.Run.Warnings, "\n"), "tool_outptu")
}

func TestClientDeadlineExpiresTheCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	_, err := b.run(clientRequest(`,"run":{"client_timeout":"72h"}`))
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "Expired")
}

func TestCancelClosesEveryOpenCall(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "ask", `{}`, "2", "a", `{}`), say("never"))
	b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask"},{"type":"platform","name":"a"}]}`)
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Contains(t, b.outputs()[0], "Cancelled")
	require.Equal(t, "A", b.outputs()[1], "what was finished is kept")
	require.Len(t, b.inputs, 1, "no inference after a cancel")
}

func TestClaimsLeaseAnActionToOneOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	var got []string
	claim := func(owner string) {
		b.update(contract.ClaimAction, `{"action_id":"act_1_0","owner":"`+owner+`","lease":"30s"}`, func(r contract.Receipt, err error) {
			if err != nil {
				got = append(got, owner+" no")
				return
			}
			got = append(got, owner+" "+r.Status)
		})
	}
	at := func(d time.Duration, f func()) { b.RegisterDelayedCallback(f, d) }
	at(time.Second, func() { claim("one"); claim("two") })
	at(20*time.Second, func() { claim("one") })
	at(45*time.Second, func() { claim("two") })
	at(51*time.Second, func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, contract.ActionPending, status.Actions[0].Status, "the lease has run out")
		claim("two")
	})
	at(52*time.Second, func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_0","output":"x"}`))
	})
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, []string{"one processing", "two no", "one processing", "two no", "two processing"}, got)
}

func TestApprovalLetsACallRunOrDeniesIt(t *testing.T) {
	t.Parallel()
	hooks := activities.Hooks{Before: []activities.BeforeToolCall{func(context.Context, activities.HookCall) (activities.Decision, error) {
		return activities.Ask("it costs money"), nil
	}}}
	b := newBench(t, source{"a": answers("A"), "b": answers("B")}, hooks,
		calls("1", "a", `{}`, "2", "b", `{}`, "3", "ask", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Len(t, status.Approvals, 3)
		require.Equal(t, "it costs money", status.Approvals[0].Reason)
		require.Empty(t, status.Actions, "a client call is handed over once it is approved")
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
		b.update(contract.SettleApproval, `{"approval_request_id":"apr_1_1","approve":false,"reason":"too dear","actor":"eve"}`,
			func(r contract.Receipt, err error) { require.NoError(t, err); require.Equal(t, "denied", r.Status) })
		b.update(contract.SettleApproval, `{"approval_request_id":"apr_9_9","approve":true}`,
			func(_ contract.Receipt, err error) { require.ErrorContains(t, err, "unknown approval_request_id") })
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_2","approve":true}`))
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_2","output":"C"}`))
	}, 2*time.Minute)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"platform","name":"b"},{"type":"function","name":"ask"}]}`)
	require.NoError(t, err)
	got := b.outputs()
	require.Equal(t, "A", got[0])
	require.Contains(t, got[1], "denied by eve: too dear")
	require.Equal(t, "C", got[2])
	require.Contains(t, b.events(), "approval_request 1")
	require.Contains(t, b.events(), "approval 1")
}

func TestExpiredApprovalWasNobodysAnswer(t *testing.T) {
	t.Parallel()
	hooks := activities.Hooks{Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
		if c.Call.Tool == "a" {
			return activities.Ask("really?"), nil
		}
		return activities.Allow(), nil
	}}}
	b := newBench(t, source{"a": answers("A")}, hooks, calls("1", "a", `{}`), calls("2", "ask", `{}`), say("done"))
	refused := 0
	b.RegisterDelayedCallback(func() {
		for _, approve := range []string{"true", "false"} {
			b.update(contract.SettleApproval, `{"approval_request_id":"apr_1_0","approve":`+approve+`}`,
				func(_ contract.Receipt, err error) { require.ErrorContains(t, err, "without an answer"); refused++ })
		}
	}, 90*time.Minute)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"function","name":"ask"}],"run":{"client_timeout":"1h"}}`)
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "Expired")
	require.Equal(t, 2, refused)
}

func TestMessagesFromOutsideKeepTheRunGoing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("first"), say("second"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.SendMessage, json.RawMessage(`{"content":"and then","deliver":"follow_up"}`))
		b.SignalWorkflow(contract.SendMessage, json.RawMessage(`{"content":"hurry"}`))
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
	}, time.Minute)
	result, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, "second", result.OutputText)
	require.Len(t, b.inputs, 3)
	require.Contains(t, string(b.inputs[1].Items[len(b.inputs[1].Items)-1]), "hurry", "steering after the batch")
	require.Contains(t, string(b.inputs[2].Items[len(b.inputs[2].Items)-1]), "and then", "the follow-up when no calls remain")
}

func TestManyCallsInOneBatch(t *testing.T) {
	t.Parallel()
	var words []string
	for range 200 {
		words = append(words, "same", "a", `{}`)
	}
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls(words...), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_parallel_calls":50}}`)
	require.NoError(t, err)
	got := b.outputs()
	require.Len(t, got, 200)
	require.Equal(t, "A", got[127])
	require.Contains(t, got[128], "BudgetExceeded")
}

func TestMessageWithAnIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("first"))
	type answer struct {
		receipt contract.Receipt
		err     error
	}
	var got []answer
	keep := func(r contract.Receipt, err error) { got = append(got, answer{r, err}) }
	b.RegisterDelayedCallback(func() {
		b.update(contract.SendMessage, `{"id":"m1","content":"hurry"}`, keep)
		b.update(contract.SendMessage, `{"id":"m1","content":"hurry","role":"user","deliver":"steer"}`, keep)
		b.update(contract.SendMessage, `{"id":"m1","content":"slowly"}`, keep)
		b.update(contract.SendMessage, `{"id":"`+strings.Repeat("m", 201)+`","content":"slowly"}`, keep)
		b.SignalWorkflow(contract.SendMessage, json.RawMessage(`{"id":"m1","content":"hurry"}`))
		b.SignalWorkflow(contract.SendMessage, json.RawMessage(`{"id":"m1","content":"hurry","deliver":"follow_up"}`))
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
	}, 2*time.Minute)
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	queued := contract.Receipt{ID: contract.SendMessage, Status: "queued"}
	require.Equal(t, answer{receipt: queued}, got[0])
	queued.Repeated = true
	require.Equal(t, answer{receipt: queued}, got[1])
	require.ErrorContains(t, got[2].err, `id: another message with the id "m1" was taken`)
	require.ErrorContains(t, got[3].err, "id: has 201 bytes, at most 200 are taken")
	require.Len(t, b.inputs, 2)
	items := b.inputs[1].Items
	require.Contains(t, string(items[len(items)-1]), "hurry")
	require.NotContains(t, string(items[len(items)-2]), "hurry", "once")
	rejected := slices.DeleteFunc(b.events(), func(e string) bool { return e != "rejected" })
	require.Len(t, rejected, 1, "the follow-up is another message")
}

func TestClientMayAnswerAfterThreeDays(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "ask", `{}`, "2", "a", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.happen("claim a", func(_ contract.Receipt, err error) { require.NoError(t, err) })
	}, time.Hour)
	b.RegisterDelayedCallback(func() {
		require.Len(t, b.inputs, 1, "nothing is inferred meanwhile")
		b.happen("answer late", func(r contract.Receipt, err error) {
			require.NoError(t, err)
			require.Equal(t, "completed", r.Status)
		})
	}, 3*24*time.Hour)
	started := b.Now()
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask"},{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.GreaterOrEqual(t, b.Now().Sub(started), 3*24*time.Hour)
	require.Equal(t, []string{"late", "A"}, b.outputs())
}
