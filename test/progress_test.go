package test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

func TestPartialResultsAreFollowedLive(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(harness.Calls(
		harness.ToolCall{ID: "c1", Name: "copy", Arguments: `{}`},
		harness.ToolCall{ID: "c2", Name: "copy", Arguments: `{}`},
	), harness.Say("copied")))
	seen := make(chan struct{})
	slow := fixed("copy", "")
	slow.Execute = func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
		call.Progress("10 %")
		call.Progress("50 % of " + call.Call.ID)
		select {
		case <-seen:
		case <-ctx.Done():
			return tools.Output{}, ctx.Err()
		}
		return tools.Output{Content: "done"}, nil
	}
	s.work("responses", worker.WithTools(slow))
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("copy")}, Run: starter.RunOptions{Progress: true},
	})
	require.NoError(t, err)
	texts := map[string]string{}
	var last contract.EventType
	for e, err := range run.Follow(ctx, 0) {
		require.NoError(t, err)
		last = e.Type
		if e.Type != contract.EventToolUpdate {
			continue
		}
		texts[e.ToolCallID] = e.Text
		if len(texts) == 2 {
			close(seen)
		}
	}
	require.Equal(t, contract.EventRunEnd, last)
	require.Equal(t, map[string]string{"c1": "50 % of c1", "c2": "50 % of c2"}, texts)
	signals := 0
	for _, e := range fetchHistory(t, s.client, run.ID()).Events {
		if e.GetWorkflowExecutionSignaledEventAttributes() != nil {
			signals++
		}
	}
	require.LessOrEqual(t, signals, 2, "calls share their signals; the second may have begun a second later")
}

func TestCallsInTextAreRunForModelsWithoutNativeOnes(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(
		harness.Say(`Let me look. <fc>{"name":"weather","arguments":{}}</fc>`), harness.Say("It is sunny."),
	))
	s.work("chat", worker.WithTools(fixed("weather", "sunny")))
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("weather")}, Run: starter.RunOptions{TextCalls: true},
	})
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "It is sunny.", result.OutputText)
	require.Len(t, result.Run.Traces, 1)
	require.True(t, result.Run.Traces[0].Success)
	require.NotContains(t, string(result.Output[0]), "<fc>")
}
