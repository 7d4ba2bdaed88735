package test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

func TestCancelReachesARunningToolAndKeepsWhatWasDone(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(harness.Calls(
		harness.ToolCall{ID: "c1", Name: "weather", Arguments: `{}`},
		harness.ToolCall{ID: "c2", Name: "slow", Arguments: `{}`},
		harness.ToolCall{ID: "c3", Name: "ask", Arguments: `{}`},
	)))
	running, stopped := make(chan struct{}), make(chan error, 1)
	slow := fixed("slow", "")
	slow.Execute = func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
		close(running)
		<-ctx.Done()
		stopped <- ctx.Err()
		return tools.Output{}, ctx.Err()
	}
	hooked := false
	s.work("responses", worker.WithTools(fixed("weather", "sunny"), slow),
		worker.WithAfterToolCall(func(_ context.Context, c worker.HookCall, _ *tools.Output) error {
			hooked = hooked || c.Call.Tool == "slow"
			return nil
		}))
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "go",
		Tools: []starter.Tool{starter.Platform("weather"), starter.Platform("slow"), starter.Function("ask", "", nil)},
	})
	require.NoError(t, err)
	<-running
	pendingAction(t, run)
	require.NoError(t, run.Cancel(ctx))
	result, err := run.Result(ctx)
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.ErrorIs(t, <-stopped, context.Canceled, "the tool's context was cancelled")
	require.False(t, hooked, "no hook runs after a cancel")
	require.Equal(t, contract.Cancelled, result.Status)
	status := map[string]tools.OutcomeStatus{}
	for _, trace := range result.Run.Traces {
		status[trace.ToolCallID] = trace.Status
	}
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Succeeded, "c2": tools.Cancelled, "c3": tools.Cancelled}, status)
	require.Len(t, s.model.Requests(), 1, "no inference after a cancel")
	calls, outputs := 0, 0
	for it, err := range run.Conversation(ctx) {
		require.NoError(t, err)
		calls += count(string(it), `"function_call"`)
		outputs += count(string(it), `"function_call_output"`)
	}
	require.Equal(t, 3, calls)
	require.Equal(t, 3, outputs, "every call has an outcome: a provider accepts the conversation")
}

// TestARunCancelledBeforeItsFirstStepAsksForNothing: nobody is asked, and no round
// begins.
func TestARunCancelledBeforeItsFirstStepAsksForNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("never said")))
	run, first := s.startFirst(`{"model":"m","input":"go"}`)
	require.NoError(t, run.Cancel(within(t)))
	s.work("responses")
	result, err := run.Result(within(t))
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.Zero(t, result.Run.Rounds)
	require.Empty(t, s.model.Requests())
	s.keepHistory("cancelled-at-once", run.ID())
	for _, e := range s.executions(run.ID(), first)[0].Events {
		require.NotEqual(t, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, e.GetEventType())
	}
	page, err := run.Events(within(t), 0)
	require.NoError(t, err)
	for _, e := range page.Events {
		require.NotEqual(t, contract.EventRoundStart, e.Type)
	}
}
