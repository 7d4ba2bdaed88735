package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/workflows/contract"
)

const mixed = `{"model":"m","input":"go","tools":[
	{"type":"function","name":"ask","parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}},
	{"type":"platform","name":"a"},{"type":"platform","name":"b"}]%s}`

func request(extra string) string { return fmt.Sprintf(mixed, extra) }

func TestAnswerWithoutCallsCompletesTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, say("done"))
	result, err := b.run(`{"model":"m","input":"hi","metadata":{"ticket":"42"}}`)
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, "done", result.OutputText)
	require.JSONEq(t, `{"ticket":"42"}`, string(result.Metadata))
	require.Equal(t, []string{"run_start", "round_start", "message", "round_end", "run_end"}, b.events())
}

func TestMixedBatchWaitsForClient(t *testing.T) {
	t.Parallel()
	tools := source{"a": answers("A")}
	b := newBench(t, tools, activities.Hooks{},
		calls("1", "a", `{}`, "2", "ask", `{"q":"why"}`, "3", "b", `{}`), say("done"))
	tools["b"] = b.after(0, "B")
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, contract.PendingAction, status.Status)
		require.Len(t, status.Actions, 1)
		manifest, err := json.Marshal(status.Actions[0].Manifest)
		require.NoError(t, err)
		require.JSONEq(t, `{"type":"tool_call_manifest","run_id":"`+status.RunID+`","action_id":"act_1_1","tool_call_id":"2","tool":"ask","args":{"q":"why"}}`, string(manifest))
		require.Len(t, b.inputs, 1, "no inference while a client call is open")
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"2","output":{"because":[1]}}`))
	}, 72*time.Hour)
	result, err := b.run(request(""))
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
	require.Equal(t, []string{"A", `{"because":[1]}`, "B"}, b.outputs(), "joined in origin order")
	require.Equal(t, []string{
		"run_start", "round_start",
		"tool_execution_start 1", "tool_execution_start 2", "tool_execution_start 3", "tool_call_manifest 2",
		"tool_execution_end 1", "tool_execution_end 3", "tool_execution_end 2",
		"tool_result 1", "tool_result 2", "tool_result 3", "round_end",
		"round_start", "message", "round_end", "run_end",
	}, b.events())
	require.Len(t, result.Output, 3, "the client's call and output, and the message; gateway calls stay hidden")
	require.Len(t, result.Run.Traces, 3)
}

func TestEachItemIsSentOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "a", `{}`), calls("2", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Len(t, b.inputs, 3)
	for i, want := range []struct{ from, items, length int }{{0, 1, 1}, {1, 2, 3}, {3, 2, 5}} {
		require.Equal(t, want.from, b.inputs[i].From)
		require.Len(t, b.inputs[i].Items, want.items)
		require.Equal(t, want.length, b.inputs[i].Length)
	}
}

func TestUnknownToolIsAnOutcomeOfThatCallAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "nope", `{}`, "2", "a", `{}`), say("done"))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "UnknownTool")
	require.Equal(t, "A", b.outputs()[1])
	require.Equal(t, tools.Failed, result.Run.Traces[0].Status)
}

func TestUndeclaredToolGoesToTheClientWhenAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "nope", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_0","output":"x"}`))
	}, time.Minute)
	_, err := b.run(`{"model":"m","input":"go","run":{"undeclared_tools":"client"}}`)
	require.NoError(t, err)
	require.Equal(t, []string{"x"}, b.outputs())
}

func TestInvalidArgumentsAnswerThatCallWithItsID(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A"), "b": answers("B")}, activities.Hooks{},
		calls("1", "ask", `{"q":[]}`, "2", "a", `oops`, "3", "b", ``), say("done"))
	_, err := b.run(request(""))
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "InvalidArguments")
	require.Contains(t, b.outputs()[1], "InvalidArguments")
	require.Equal(t, "B", b.outputs()[2], "blank arguments are an empty object")
	for i, id := range []string{"1", "2", "3"} {
		require.Contains(t, string(b.conversation()[4+i]), `"call_id":"`+id+`"`)
	}
}

func TestTruncatedAnswerRunsNoCall(t *testing.T) {
	t.Parallel()
	cut := calls("1", "a", `{"x":`)
	cut.Finish = model.FinishLength
	ran := false
	b := newBench(t, source{"a": func(context.Context, tools.Invocation) (tools.Output, error) {
		ran = true
		return tools.Output{}, nil
	}}, activities.Hooks{}, cut, say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Contains(t, b.outputs()[0], "Truncated")
	require.False(t, ran)
}

func TestRoundCapKeepsTheLastCallsAndOutcomes(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "a", `{}`), calls("1", "a", `{}`))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_rounds":2}}`)
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	require.Equal(t, "max_rounds", result.Incomplete.Reason)
	require.Equal(t, []string{"A", "A"}, b.outputs())
}

func TestRejectedModelFailsTheRunWithWhatWasDone(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "a", `{}`),
		temporal.NewNonRetryableApplicationError("model answered 401: no", activities.TypeModelRejected, nil))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, contract.ErrModelRejected, app.Type())
	require.Equal(t, contract.Failed, result.Status)
	require.Equal(t, "model answered 401: no", result.Error.Message)
	require.Len(t, result.Run.Traces, 1)
}

func TestSequentialBatchFinishesEachCallBeforeTheNext(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{
		"the run":  `,"run":{"tool_execution":"sequential"}`,
		"the call": `,"parallel_tool_calls":false`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, source{"a": answers("A"), "b": answers("B")}, activities.Hooks{}, calls("1", "a", `{}`, "2", "b", `{}`), say("done"))
			_, err := b.run(request(extra))
			require.NoError(t, err)
			require.Equal(t, []string{
				"run_start", "round_start",
				"tool_execution_start 1", "tool_execution_end 1", "tool_result 1",
				"tool_execution_start 2", "tool_execution_end 2", "tool_result 2", "round_end",
				"round_start", "message", "round_end", "run_end",
			}, b.events())
		})
	}
}

func TestOneSequentialToolMakesTheBatchSequential(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A"), "sequential": answers("S")}, activities.Hooks{},
		calls("1", "a", `{}`, "2", "sequential", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"platform","name":"sequential"}]}`)
	require.NoError(t, err)
	require.Equal(t, "tool_result 1", b.events()[4])
}

func TestAllTerminatingOutcomesEndTheRun(t *testing.T) {
	t.Parallel()
	stop := func(context.Context, tools.Invocation) (tools.Output, error) {
		return tools.Output{Content: "enough", Terminate: true}, nil
	}
	b := newBench(t, source{"a": stop, "b": stop}, activities.Hooks{}, calls("1", "a", `{}`, "2", "b", `{}`))
	result, err := b.run(request(""))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, b.inputs, 1)

	b = newBench(t, source{"a": stop, "b": answers("B")}, activities.Hooks{}, calls("1", "a", `{}`, "2", "b", `{}`), say("on"))
	_, err = b.run(request(""))
	require.NoError(t, err)
	require.Len(t, b.inputs, 2, "one that does not terminate keeps the run going")
}

func TestCapabilitiesAreEnforcedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"look": answers("seen"), "a": answers("A")}, activities.Hooks{},
		calls("1", "look", `{}`, "2", "a", `{}`), say("done"))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"look"},{"type":"platform","name":"a"}],"run":{"read_only":true,"require_checkpoint":true}}`)
	require.NoError(t, err)
	require.Equal(t, "seen", b.outputs()[0])
	require.Contains(t, b.outputs()[1], "AccessDenied")
	denied := 0
	for _, trace := range result.Run.Traces {
		if trace.Status == tools.Denied {
			denied++
		}
	}
	require.Equal(t, 1, denied, "a denied call has a trace")
}

func TestCheckpointIsRequiredOfWhatWrites(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"look": answers("seen"), "a": answers("A")}, activities.Hooks{},
		calls("1", "look", `{}`, "2", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"look"},{"type":"platform","name":"a"}],"run":{"require_checkpoint":true}}`)
	require.NoError(t, err)
	require.Equal(t, "seen", b.outputs()[0])
	require.Contains(t, b.outputs()[1], "CheckpointRequired")
}

func TestEveryCallHasATrace(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("four")}, activities.Hooks{}, calls("1", "a", `{}`, "2", "nope", `{}`), say("done"))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Len(t, result.Run.Traces, 2)
	for _, trace := range result.Run.Traces {
		require.False(t, trace.StartedAt.IsZero())
		require.False(t, trace.EndedAt.Before(trace.StartedAt))
		require.GreaterOrEqual(t, trace.DurationMS, int64(0))
		require.Equal(t, 1, trace.Round)
		if trace.ToolCallID == "1" {
			require.True(t, trace.Success)
			require.Empty(t, trace.Error)
			require.Equal(t, len("four"), trace.ResultSizeBytes)
			require.Equal(t, 1, trace.Attempt)
			continue
		}
		require.False(t, trace.Success)
		require.NotEmpty(t, trace.Error)
		require.Equal(t, tools.Failed, trace.Status)
	}
}

func TestBudgetRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A"), "b": answers("B")}, activities.Hooks{},
		calls("1", "a", `oops`, "2", "a", `{}`, "3", "b", `{}`), calls("4", "b", `{}`), say("done"))
	_, err := b.run(request(`,"max_tool_calls":1`))
	require.NoError(t, err)
	got := b.outputs()
	require.Contains(t, got[0], "InvalidArguments", "a malformed call consumes nothing")
	require.Equal(t, "A", got[1])
	require.Contains(t, got[2], "BudgetExceeded")
	require.Contains(t, got[3], "BudgetExceeded")
}

func TestHooksBlockChangeAndFail(t *testing.T) {
	t.Parallel()
	hooks := activities.Hooks{
		Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
			switch c.Call.ID {
			case "1":
				return activities.Block("not on Sundays"), nil
			case "2":
				return activities.Allow().With(json.RawMessage(`{"n":2}`)), nil
			case "3":
				return activities.Decision{}, errors.New("rules are gone")
			case "4":
				panic("hook bug")
			}
			return activities.Decision{}, nil
		}},
		After: []activities.AfterToolCall{func(_ context.Context, c activities.HookCall, out *tools.Output) error {
			if c.Call.ID == "5" {
				return errors.New("cannot log")
			}
			out.Content = "edited " + out.Content.(string)
			return nil
		}},
	}
	echo := func(_ context.Context, c tools.Invocation) (tools.Output, error) {
		return tools.Output{Content: string(c.Arguments)}, nil
	}
	b := newBench(t, source{"a": echo}, hooks,
		calls("1", "a", `{}`, "2", "a", `{}`, "3", "a", `{}`, "4", "a", `{}`, "5", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	got := b.outputs()
	require.Contains(t, got[0], "not on Sundays")
	require.Equal(t, `edited {"n":2}`, got[1])
	require.Contains(t, got[2], "rules are gone")
	require.Contains(t, got[3], "hook bug")
	require.Contains(t, got[4], "cannot log")
}
