package activities

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

func TestSlipOfAHookDoesNotLetTheCallRun(t *testing.T) {
	t.Parallel()
	a := &Activities{hooks: Hooks{Before: []BeforeToolCall{func(context.Context, HookCall) (Decision, error) {
		return Decision{Verdict: "alow"}, nil
	}}}}
	_, err := a.before(t.Context(), HookCall{})
	require.ErrorContains(t, err, `unknown verdict "alow"`)
}

func TestHookThatHangsIsLeftBehindAfterItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		a := &Activities{hooks: Hooks{Before: []BeforeToolCall{func(context.Context, HookCall) (Decision, error) {
			<-released
			return Allow(), nil
		}}}}
		started := time.Now()
		_, err := a.before(t.Context(), HookCall{})
		require.ErrorContains(t, err, "did not answer within 5s")
		require.Equal(t, hookLimit, time.Since(started))
		close(released)
	})
}

func TestHooksSeeWhatTheHookBeforeThemChanged(t *testing.T) {
	t.Parallel()
	var seen []string
	hook := func(d Decision) BeforeToolCall {
		return func(_ context.Context, c HookCall) (Decision, error) {
			seen = append(seen, string(c.Arguments))
			return d, nil
		}
	}
	a := &Activities{hooks: Hooks{Before: []BeforeToolCall{
		hook(Allow().With(json.RawMessage(`{"n":2}`))), hook(Allow()), hook(Ask("sure?")), hook(Block("never asked")),
	}}}
	d, err := a.before(t.Context(), HookCall{Arguments: json.RawMessage(`{"n":1}`)})
	require.NoError(t, err)
	require.Equal(t, []string{`{"n":1}`, `{"n":2}`, `{"n":2}`}, seen)
	require.Equal(t, Decision{Verdict: VerdictAsk, Reason: "sure?", Arguments: json.RawMessage(`{"n":2}`)}, d)
}

func TestAfterHookSeesTheFailureOfATool(t *testing.T) {
	t.Parallel()
	var seen []bool
	a, err := New(Parts{
		Model: &echo{}, Engine: newRun(0),
		Sources: map[string]Source{"one": oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{}, errors.New("no room")
		}}},
		Hooks: Hooks{After: []AfterToolCall{func(_ context.Context, _ HookCall, out *tools.Output) error {
			seen = append(seen, out.IsError)
			require.Contains(t, out.Content, "no room")
			out.Content = "try tomorrow"
			return nil
		}}},
	})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteActivity(a.Execute, input(tools.EffectRead))
	require.NoError(t, err)
	var o tools.Outcome
	require.NoError(t, got.Get(&o))
	require.Equal(t, []bool{true}, seen)
	require.Equal(t, tools.Failed, o.Status)
	require.Equal(t, "try tomorrow", o.Output)
}
