package test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

// blocking is a tool that ends when the test says so. One that is deaf ignores its
// context.
type blocking struct {
	began, end chan struct{}
	deaf       bool
}

func newBlocking() *blocking {
	return &blocking{began: make(chan struct{}, 10), end: make(chan struct{})}
}

func (h *blocking) tool(name string, effect tools.Effect) worker.Tool {
	t := fixed(name, "")
	t.Effect, t.ReadOnly = effect, effect == tools.EffectRead
	t.Execute = func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
		h.began <- struct{}{}
		if h.deaf {
			ctx = context.WithoutCancel(ctx)
		}
		select {
		case <-h.end:
			return tools.Output{Content: "done"}, nil
		case <-ctx.Done():
			return tools.Output{}, ctx.Err()
		}
	}
	return t
}

// stopScript asks for a tool twice and for the client, then would go on.
func stopScript() harness.Script {
	return harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "c1", Name: "slow", Arguments: `{}`},
			harness.ToolCall{ID: "c2", Name: "slow", Arguments: `{}`},
			harness.ToolCall{ID: "c3", Name: "ask", Arguments: `{}`},
		),
		harness.Calls(harness.ToolCall{ID: "d1", Name: "slow", Arguments: `{}`}),
		harness.Say("never said"),
	)
}

func stopRequest(window int) starter.Request {
	return starter.Request{
		Model: "m", Input: "go",
		Tools: []starter.Tool{starter.Platform("slow"), starter.Function("ask", "", nil)},
		Run:   starter.RunOptions{MaxParallelCalls: window},
	}
}

func statuses(result *contract.Result) map[string]tools.OutcomeStatus {
	all := map[string]tools.OutcomeStatus{}
	for _, trace := range result.Run.Traces {
		all[trace.ToolCallID] = trace.Status
	}
	return all
}

func requireStopped(t *testing.T, result *contract.Result, mode contract.StopMode) {
	t.Helper()
	require.NotNil(t, result.Run.Stop)
	require.Equal(t, mode, result.Run.Stop.Mode)
	require.Equal(t, "eva", result.Run.Stop.Actor)
	require.Equal(t, "enough", result.Run.Stop.Reason)
}

func stopBy(mode contract.StopMode) contract.Stop {
	return contract.Stop{Mode: mode, Actor: "eva", Reason: "enough"}
}

func TestStopAfterToolsLetsWhatRunsEndAndBeginsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, stopScript())
	h := newBlocking()
	s.work("responses", worker.WithTools(h.tool("slow", tools.EffectOnce)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, stopRequest(1))
	require.NoError(t, err)
	<-h.began
	pendingAction(t, run)
	_, err = run.Stop(ctx, contract.Stop{Mode: "soon"})
	require.ErrorContains(t, err, "after_tools")
	_, err = run.Stop(ctx, stopBy(contract.StopAfterTools))
	require.NoError(t, err)
	again, err := run.Stop(ctx, contract.Stop{Mode: contract.StopAfterRound})
	require.NoError(t, err)
	require.True(t, again.Repeated, "a milder stop changes nothing")
	close(h.end)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	require.Equal(t, contract.ReasonStopped, result.Incomplete.Reason)
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Succeeded, "c2": tools.Cancelled, "c3": tools.Cancelled}, statuses(result))
	requireStopped(t, result, contract.StopAfterTools)
	require.Len(t, s.model.Requests(), 1)
}

func TestStopAfterRoundWaitsForClientsAndEndsWithoutAnotherInference(t *testing.T) {
	t.Parallel()
	s := newStage(t, stopScript())
	h := newBlocking()
	close(h.end)
	s.work("responses", worker.WithTools(h.tool("slow", tools.EffectOnce)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, stopRequest(5))
	require.NoError(t, err)
	pendingAction(t, run)
	_, err = run.Stop(ctx, stopBy(contract.StopAfterRound))
	require.NoError(t, err)
	_, err = run.Answer(ctx, starter.Output("act_1_2", "yes"))
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Succeeded, "c2": tools.Succeeded, "c3": tools.Succeeded}, statuses(result))
	requireStopped(t, result, contract.StopAfterRound)
	require.Len(t, s.model.Requests(), 1)
}

func TestStopAfterToolsGivesUpAnInference(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Hang()))
	s.work("responses")
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: "go"})
	require.NoError(t, err)
	harness.Eventually(t, patience, func() (bool, string) { return s.model.Hanging() == 1, "" }, "an inference in flight")
	_, err = run.Stop(ctx, stopBy(contract.StopAfterTools))
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	requireStopped(t, result, contract.StopAfterTools)
}

func TestStopNowCancelsAndSaysByWhom(t *testing.T) {
	t.Parallel()
	s := newStage(t, stopScript())
	h := newBlocking()
	s.work("responses", worker.WithTools(h.tool("slow", tools.EffectOnce)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, stopRequest(5))
	require.NoError(t, err)
	<-h.began
	_, err = run.Stop(ctx, stopBy(contract.StopNow))
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.Equal(t, contract.Cancelled, result.Status)
	requireStopped(t, result, contract.StopNow)
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Cancelled, "c2": tools.Cancelled, "c3": tools.Cancelled}, statuses(result))
}

// TestToolThatIgnoresACancelHoldsTheRunUpForItsGraceOnly: what it may have done
// is unknown, unless it only reads.
func TestToolThatIgnoresACancelHoldsTheRunUpForItsGraceOnly(t *testing.T) {
	t.Parallel()
	for effect, want := range map[tools.Effect]tools.OutcomeStatus{tools.EffectOnce: tools.Unknown, tools.EffectRead: tools.Cancelled} {
		t.Run(string(effect), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, stopScript())
			h := newBlocking()
			h.deaf = true
			t.Cleanup(func() { close(h.end) })
			s.work("responses", worker.WithTools(h.tool("slow", effect)))
			ctx := within(t)
			request := stopRequest(1)
			request.Run.CancelGrace = starter.Duration(2 * time.Second)
			run, err := s.starter.Start(ctx, request)
			require.NoError(t, err)
			<-h.began
			pendingAction(t, run)
			require.NoError(t, run.Cancel(ctx))
			result, err := run.Result(ctx)
			require.ErrorIs(t, err, starter.ErrCancelled)
			require.Equal(t, map[string]tools.OutcomeStatus{"c1": want, "c2": tools.Cancelled, "c3": tools.Cancelled}, statuses(result))
		})
	}
}

func TestCancelReachesAHookInProgress(t *testing.T) {
	t.Parallel()
	s := newStage(t, stopScript())
	h := newBlocking()
	asked := make(chan struct{}, 10)
	s.work("responses", worker.WithTools(h.tool("slow", tools.EffectOnce)),
		worker.WithBeforeToolCall(func(ctx context.Context, _ worker.HookCall) (worker.Decision, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return worker.Allow(), nil
		}))
	ctx := within(t)
	run, err := s.starter.Start(ctx, stopRequest(5))
	require.NoError(t, err)
	<-asked
	require.NoError(t, run.Cancel(ctx))
	result, err := run.Result(ctx)
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Cancelled, "c2": tools.Cancelled, "c3": tools.Cancelled}, statuses(result))
	require.Empty(t, asked, "no hook is asked after a cancel")
	require.Empty(t, h.began)
	require.Len(t, s.model.Requests(), 1)
}
