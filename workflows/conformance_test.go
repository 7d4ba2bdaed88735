package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/workflows/contract"
)

func mixedRequest(extra string) string {
	return `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"},{"type":"platform","name":"a"}]` + extra + `}`
}

// onExecute does something once the first call of the first round runs.
func (b *bench) onExecute(do func()) {
	b.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityID == "1/0/execute" {
			do()
		}
	})
}

// held is a tool that ends once its gate is open.
func held(gate <-chan struct{}) func(context.Context, tools.Invocation) (tools.Output, error) {
	return func(context.Context, tools.Invocation) (tools.Output, error) {
		<-gate
		return tools.Output{Content: "late", Changes: []tools.Change{{Resource: "r", Kind: "made"}}}, nil
	}
}

// around stands between a workflow and the activities that it asks for.
type around func(ctx workflow.Context, next func(workflow.Context) workflow.Future) workflow.Future

type watcher struct {
	interceptor.WorkerInterceptorBase
	interceptor.WorkflowInboundInterceptorBase
	around around
}

func (w *watcher) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	w.Next = next
	return w
}

func (w *watcher) Init(next interceptor.WorkflowOutboundInterceptor) error {
	return w.Next.Init(&watchedOut{interceptor.WorkflowOutboundInterceptorBase{Next: next}, w.around})
}

type watchedOut struct {
	interceptor.WorkflowOutboundInterceptorBase
	around around
}

func (w *watchedOut) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	return w.around(ctx, func(ctx workflow.Context) workflow.Future { return w.Next.ExecuteActivity(ctx, name, args...) })
}

func (b *bench) watch(a around) {
	b.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&watcher{around: a}}})
}

func TestWindowBoundsWhatRunsAtOnce(t *testing.T) {
	t.Parallel()
	for extra, want := range map[string]int{``: 5, `,"run":{"max_parallel_calls":3}`: 3} {
		b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls(strings.Fields(strings.Repeat("same a {} ", 9))...), say("done"))
		running, most := 0, 0
		b.watch(func(ctx workflow.Context, next func(workflow.Context) workflow.Future) workflow.Future {
			running++
			most = max(most, running)
			return next(ctx)
		})
		b.SetOnActivityCompletedListener(func(*activity.Info, converter.EncodedValue, error) { running-- })
		_, err := b.run(mixedRequest(extra))
		require.NoError(t, err)
		require.Equal(t, want, most)
	}
}

func TestResultThatComesAfterACancelIsDropped(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b := newBench(t, source{"a": held(gate)}, activities.Hooks{}, calls("1", "a", `{}`, "2", "ask", `{}`), say("never"))
	b.watch(func(ctx workflow.Context, next func(workflow.Context) workflow.Future) workflow.Future {
		detached, _ := workflow.NewDisconnectedContext(ctx) // on a server, activities end in their own time
		return next(detached)
	})
	b.onExecute(func() {
		b.CancelWorkflow()
		b.update(contract.ToolOutput, `{"tool_call_id":"2","output":"x"}`, func(_ contract.Receipt, err error) {
			require.ErrorContains(t, err, "already settled (cancelled)")
			close(gate)
		})
	})
	result, err := b.run(mixedRequest(""))
	require.Error(t, err)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Contains(t, b.outputs()[0], "its result was dropped")
	require.Len(t, result.Run.Changes, 1, "what it changed it has changed")
	require.Equal(t, [2]tools.OutcomeStatus{tools.Cancelled, tools.Cancelled}, [2]tools.OutcomeStatus{result.Run.Traces[0].Status, result.Run.Traces[1].Status})
}

func TestCancelGivesEveryCallAStartAnEndAndAResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "ask", `{}`, "2", "a", `{}`), say("never"))
	b.RegisterDelayedCallback(b.CancelWorkflow, time.Minute)
	_, err := b.run(mixedRequest(`,"run":{"tool_execution":"sequential"}`))
	require.Error(t, err)
	require.Contains(t, b.outputs()[1], "Cancelled", "nothing runs after a cancel")
	require.Equal(t, []string{
		"run_start", "round_start",
		"tool_execution_start 1", "tool_call_manifest 1", "tool_execution_end 1", "tool_result 1",
		"tool_execution_start 2", "tool_execution_end 2", "tool_result 2", "run_end",
	}, b.events())
}

func TestPartialResultsAreEventsOfRunningCallsOnly(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	b := newBench(t, source{"a": held(gate)}, activities.Hooks{}, calls("1", "a", `{}`, "2", "ask", `{}`), say("done"))
	report := func(round, index int, text string) {
		b.SignalWorkflow(contract.SignalProgress, []contract.ProgressUpdate{{Round: round, Index: index, Text: text}})
	}
	b.onExecute(func() {
		report(1, 0, "10 %")
		report(1, 0, "50 %")
		report(1, 1, "a client's call")
		report(2, 0, "another round")
		b.update(contract.ToolOutput, `[]`, func(contract.Receipt, error) { close(gate) })
	})
	b.RegisterDelayedCallback(func() {
		report(1, 0, "after its end")
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"2","output":"x"}`))
	}, time.Hour)
	_, err := b.run(mixedRequest(`,"run":{"progress":true}`))
	require.NoError(t, err)
	require.Equal(t, []string{
		"tool_execution_start 1", "tool_execution_start 2", "tool_call_manifest 2",
		"tool_execution_update 1", "tool_execution_update 1", "tool_execution_end 1",
		"tool_execution_end 2", "tool_result 1", "tool_result 2",
	}, b.events()[2:11])
	var page contract.EventsPage
	b.query(contract.QueryEvents, &page)
	require.Equal(t, []string{"", "50 %"}, []string{page.Events[5].Text, page.Events[6].Text}, "the newer one replaces the other")
}

func TestWhatTheWorkerHasIsNotRunUnlessItIsDeclaredAsTheWorkers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ tools, run, want string }{
		"not declared":                       {`[{"type":"platform","name":"a"}]`, `{}`, "UnknownTool"},
		"not declared, and left to a client": {`[{"type":"platform","name":"a"}]`, `{"undeclared_tools":"client"}`, "mine"},
		"declared as the client's":           {`[{"type":"function","name":"b"}]`, `{}`, "mine"},
	} {
		var l log
		b := newBench(t, source{"a": answers("A"), "b": gated(&l, nil, nil)}, activities.Hooks{}, calls("1", "b", `{}`), say("done"))
		b.RegisterDelayedCallback(func() {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"mine"}`))
		}, time.Minute)
		_, err := b.run(`{"model":"m","input":"go","tools":` + row.tools + `,"run":` + row.run + `}`)
		require.NoError(t, err)
		require.Contains(t, b.outputs()[0], row.want, name)
		require.Empty(t, l.lines, name)
	}
}

func TestEveryOutcomeHasTheIDOfItsCall(t *testing.T) {
	t.Parallel()
	fails := func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, errors.New("no") }
	b := newBench(t, source{"a": fails, "b": answers("B")}, activities.Hooks{}, calls("nameless", "", `{}`, "undeclared", "nope", `{}`, "invalid", "ask", `{}`,
		"expired", "ask", `{"q":"?"}`, "fails", "a", `{}`, "over", "b", `{}`), say("done"))
	_, err := b.run(request(`,"max_tool_calls":1,"run":{"client_timeout":"1h","undeclared_tools":"client"}`))
	require.NoError(t, err)
	for i, row := range [][2]string{{"nameless", "UnknownTool"}, {"undeclared", "Expired"}, {"invalid", "InvalidArguments"}, {"expired", "Expired"}, {"fails", "ExecutionFailed"}, {"over", "BudgetExceeded"}} {
		require.Contains(t, string(b.conversation()[7+i]), `"call_id":"`+row[0]+`"`)
		require.Contains(t, b.outputs()[i], row[1])
	}
}

func TestSettledActionsStayAsTheyAreAndIDsAreOfTheirRound(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), calls("1", "ask", `{}`), say("done"))
	start := b.Now()
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, [2]any{2, contract.PendingAction}, [2]any{status.Round, status.Status})
		require.WithinDuration(t, start.Add(144*time.Hour), status.Actions[0].ExpiresAt, time.Minute)
		b.update(contract.ToolOutput, `{"action_id":"act_1_0","output":"x"}`, func(_ contract.Receipt, err error) {
			require.ErrorContains(t, err, "already settled (expired)")
			b.update(contract.ToolOutput, `{"tool_call_id":"1","output":"x"}`, func(r contract.Receipt, err error) {
				require.NoError(t, err)
				require.Equal(t, contract.Receipt{ID: "act_2_0", Status: "completed"}, r)
			})
		})
	}, 73*time.Hour)
	_, err := b.run(clientRequest(`,"run":{"client_timeout":"72h"}`))
	require.NoError(t, err)
	require.Equal(t, "x", b.outputs()[1])
}

func TestMessageComesBeforeItsCallsAndAllOfAnAnswerIsKept(t *testing.T) {
	t.Parallel()
	thought, text := `{"type":"reasoning","summary":[],"vendor":{"n":1.0}}`, `{"type":"message","role":"assistant","content":"let me see"}`
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{},
		callItem(thought, `{"type":"function_call","call_id":"1","name":"a","arguments":"[]"}`, text), say("done"))
	_, err := b.run(`{"model":"m","input":[{"role":"user","content":"go"},{"role":"assistant","content":"hm"}],"tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err, "the input may end with an assistant's message")
	require.Equal(t, []string{"run_start", "round_start", "message", "message", "tool_execution_start 1", "tool_execution_end 1", "tool_result 1", "round_end"}, b.events()[:8])
	require.Equal(t, thought, string(b.conversation()[2]))
	require.Equal(t, text, string(b.conversation()[4]))
	require.Contains(t, b.outputs()[0], "must be a JSON object")
	require.Len(t, b.inputs[1].Items, 4, "the model sees its own answer and the outcome")
}

func TestGatewayCallsStayHiddenHoweverARoundEnds(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]model.FinishReason{"round cap": "", "cut": model.FinishLength, "filtered": model.FinishFilter} {
		answer := callItem(`{"type":"function_call","call_id":"1","name":"a","arguments":"{}"}`, `{"type":"message","role":"assistant","content":"hm"}`)
		answer.Finish = stop
		b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, answer)
		result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_rounds":1}}`)
		require.NoError(t, err)
		require.Len(t, result.Output, 1, name)
		require.Len(t, b.outputs(), 1, "in the conversation the call has its outcome")
	}
}

func TestForcedChoiceIsRelaxedAndTheSurfaceStays(t *testing.T) {
	t.Parallel()
	for choice, later := range map[string]string{
		`"required"`: `"auto"`, `{"type":"function","name":"ask"}`: `"auto"`, `"auto"`: `"auto"`, `"none"`: `"none"`,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"platform","name":"a"}]}`: `{"type":"allowed_tools","mode":"auto","tools":[{"type":"platform","name":"a"}]}`,
	} {
		b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "a", `{}`), calls("2", "a", `{}`), say("done"))
		_, err := b.run(mixedRequest(`,"tool_choice":` + choice))
		require.NoError(t, err)
		for i, want := range []string{choice, later, later} {
			require.JSONEq(t, want, string(b.inputs[i].ToolChoice))
			require.Equal(t, b.inputs[0].Surface, b.inputs[i].Surface, "tools, instructions and settings")
		}
	}
}

func TestBudgetCountsWhatRanWellOrNotButNoClientsCalls(t *testing.T) {
	t.Parallel()
	fails := func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, errors.New("no") }
	b := newBench(t, source{"a": fails}, activities.Hooks{}, calls("1", "ask", `{}`, "2", "a", `{}`, "3", "ask", `{}`), calls("4", "a", `{}`, "5", "a", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"3","output":"x"}`))
	}, time.Minute)
	_, err := b.run(mixedRequest(`,"max_tool_calls":2`))
	require.NoError(t, err)
	for i, want := range []string{"x", "ExecutionFailed", "x", "ExecutionFailed", "BudgetExceeded"} {
		require.Contains(t, b.outputs()[i], want)
	}
}

func TestFollowUpsComeOneByOneAndSteeringTogether(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("1"), say("2"), say("3"))
	b.RegisterDelayedCallback(func() {
		for _, m := range []string{`{"content":"f1","deliver":"follow_up"}`, `{"content":"f2","deliver":"follow_up"}`, `{"content":"s1"}`, `{"content":"s2"}`} {
			b.SignalWorkflow(contract.SendMessage, json.RawMessage(m))
		}
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
	}, time.Minute)
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, [3]int{5, 7, 9}, [3]int{b.inputs[1].Length, b.inputs[2].Length, b.inputs[3].Length}, "two messages, then one each")
	require.Contains(t, string(b.conversation()[6]), "f1")
}

func TestToolsHaveAMinuteUnlessTheRunSaysOtherwise(t *testing.T) {
	t.Parallel()
	for extra, want := range map[string]time.Duration{``: time.Minute, `,"run":{"tool_timeout":"2h"}`: 2 * time.Hour, `,"run":{"tool_timeout":"0s"}`: 365 * 24 * time.Hour} {
		var left time.Duration
		b := newBench(t, source{"a": func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
			deadline, _ := ctx.Deadline()
			left = time.Until(deadline)
			return tools.Output{}, nil
		}}, activities.Hooks{}, calls("1", "a", `{}`), say("done"))
		_, err := b.run(mixedRequest(extra))
		require.NoError(t, err)
		require.InDelta(t, want.Seconds(), left.Seconds(), 15, "a server's own bound is as good as none")
	}
}
