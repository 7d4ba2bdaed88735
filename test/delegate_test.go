package test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

// TestServeAllAnswersTheCallOfADelegatedRunOnce has a run give a task to another,
// which asks the client. The client knows the first run alone.
func TestServeAllAnswersTheCallOfADelegatedRunOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Match(
		harness.When("plan a trip", harness.Rounds(
			harness.Calls(harness.ToolCall{ID: "d1", Name: "delegate", Arguments: `{"task":"find a flight"}`}).WithUsage(10, 1),
			harness.Say("Fly at 9:00.").WithUsage(20, 2),
		)),
		harness.When("find a flight", harness.Rounds(
			harness.Calls(harness.ToolCall{ID: "f1", Name: "flights", Arguments: `{"to":"JFK"}`}).WithUsage(100, 10),
			harness.Say("9:00").WithUsage(200, 20),
		)),
	))
	s.work("responses", worker.WithDelegate(1))
	ctx, stop := context.WithCancel(within(t))
	var calls atomic.Int32
	served := make(chan error, 1)
	seen := make(chan starter.Call, 10)
	go func() {
		served <- s.starter.ServeAll(ctx, starter.Handlers{"flights": func(_ context.Context, call starter.Call) (any, error) {
			calls.Add(1)
			seen <- call
			return "at 9:00", nil
		}})
	}()
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "plan a trip",
		Tools: []starter.Tool{starter.Platform("delegate"), starter.Function("flights", "Looks flights up.", nil)},
	})
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, "Fly at 9:00.", result.OutputText)
	require.EqualValues(t, 363, result.Usage.TotalTokens)
	require.EqualValues(t, 1, calls.Load())
	call := <-seen
	require.Equal(t, run.ID(), call.RunID)
	require.Equal(t, "act_1_0_act_1_0", call.ActionID)
	require.Equal(t, "f1", call.ToolCallID)
	stop()
	require.ErrorIs(t, <-served, context.Canceled, "serving ends with its context")
	s.keepHistory("delegating", run.ID())
}

// TestCancelOfARunCancelsTheOneItHasStarted looks at both workflows.
func TestCancelOfARunCancelsTheOneItHasStarted(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Match(
		harness.When("plan a trip", harness.Rounds(harness.Call("delegate", `{"task":"find a flight"}`))),
		harness.When("find a flight", harness.Rounds(harness.Call("flights", `{}`))),
	))
	s.work("chat", worker.WithDelegate(1))
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "plan a trip",
		Tools: []starter.Tool{starter.Platform("delegate"), starter.Function("flights", "Looks flights up.", nil)},
	})
	require.NoError(t, err)
	pendingAction(t, run)
	first, err := s.client.DescribeWorkflow(ctx, run.ID(), "")
	require.NoError(t, err)
	child := first.RawResponse.PendingChildren[0].WorkflowId
	require.NoError(t, run.Cancel(ctx))
	_, err = run.Result(ctx)
	require.Error(t, err)
	var result contract.Result
	err = s.client.GetWorkflow(ctx, child, "").Get(ctx, &result)
	require.ErrorContains(t, err, "canceled")
}

// TestDelegatedRunsAndTheirOriginContinue: the delegated run goes on in a new
// execution while its call is open, the other one after the call of delegate.
func TestDelegatedRunsAndTheirOriginContinue(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Match(
		harness.When("plan a trip", harness.Rounds(
			harness.Call("delegate", `{"task":"find a flight"}`), harness.Call("ask", `{}`), harness.Say("done"))),
		harness.When("find a flight", harness.Rounds(harness.Call("ask", `{}`), harness.Call("ask", `{}`), harness.Say("9:00"))),
	))
	s.work("responses", worker.WithDelegate(1))
	run, first := s.startFirst(`{"model":"m","input":"plan a trip","tools":[{"type":"platform","name":"delegate"},
		{"type":"function","name":"ask"}],"run":{"continue_after_events":1}}`)
	pendingAction(t, run)
	described, err := s.client.DescribeWorkflow(within(t), run.ID(), "")
	require.NoError(t, err)
	child := described.RawResponse.PendingChildren[0]
	for _, action := range []string{"act_1_0_act_1_0", "act_1_0_act_2_0", "act_2_0"} {
		answerAction(t, run, action)
	}
	result, err := run.Result(within(t))
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
	require.Greater(t, len(s.executions(run.ID(), first)), 1)
	require.Greater(t, len(s.executions(child.WorkflowId, child.RunId)), 1)
}

func TestWithoutTheOptionThereIsNoToolDelegate(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("never")))
	s.work("chat")
	run, err := s.starter.Start(within(t), starter.Request{Model: "m", Input: "x", Tools: []starter.Tool{starter.Platform("delegate")}})
	require.NoError(t, err)
	_, err = run.Result(within(t))
	require.ErrorContains(t, err, `no platform tool "delegate"`)
}
