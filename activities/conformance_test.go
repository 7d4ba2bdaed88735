package activities

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"errand/activities/model"
	"errand/tools"
)

// shimmed is a tool that adapts its arguments.
type shimmed struct {
	oneTool
	shim func([]byte) ([]byte, error)
}

func (s shimmed) Prepare(_ string, arguments []byte) ([]byte, error) { return s.shim(arguments) }

// number is a call to the tool with one integer, n.
func number(arguments string) PreparedCall {
	return PreparedCall{
		Call: tools.Call{ID: "c", Round: 1, Tool: "t", Arguments: arguments},
		Descriptor: tools.Descriptor{
			ModelName: "t", Name: "t", Owner: tools.OwnedByGateway, GatewayTool: tools.GatewayTool{Source: "one"}, Capabilities: tools.Capabilities{Writes: true},
			Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		},
	}
}

func prepareOnce(t *testing.T, parts Parts, in PrepareInput) Prepared {
	t.Helper()
	parts.Model, parts.Engine = &echo{}, newRun(0)
	a, err := New(parts)
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteLocalActivity(a.Prepare, in)
	require.NoError(t, err)
	var out PrepareResult
	require.NoError(t, got.Get(&out))
	require.Len(t, out.Calls, 1)
	return out.Calls[0]
}

func TestShimComesBeforeCoercionAndSchema(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		shim        func([]byte) ([]byte, error)
		want, fault string
	}{
		"adapts": {func(given []byte) ([]byte, error) {
			require.JSONEq(t, `{"old":"5"}`, string(given), "as the model wrote it")
			return []byte(`{"n":"5"}`), nil
		}, `{"n":5}`, ""},
		"does not help": {func(given []byte) ([]byte, error) { return given, nil }, "", "old: is not a property"},
		"fails":         {func([]byte) ([]byte, error) { return nil, errors.New("not these") }, "", "not these"},
		"panics":        {func([]byte) ([]byte, error) { panic("shim bug") }, "", "shim bug"},
	} {
		p := prepareOnce(t, Parts{Sources: map[string]Source{"one": shimmed{shim: row.shim}}},
			PrepareInput{Calls: []PreparedCall{number(`{"old":"5"}`)}, Budget: Budget{Calls: -1}})
		require.Equal(t, row.want, string(p.Arguments), name)
		if row.fault == "" {
			require.Nil(t, p.Immediate, name)
			continue
		}
		require.Equal(t, tools.ErrInvalidArguments, p.Immediate.ErrorType, name)
		require.Contains(t, p.Immediate.Output, row.fault, name)
	}
}

func TestPrepareHasItsStagesInOrder(t *testing.T) {
	t.Parallel()
	var asked []string
	parts := Parts{Hooks: Hooks{Before: []BeforeToolCall{func(_ context.Context, c HookCall) (Decision, error) {
		asked = append(asked, string(c.Arguments))
		return Block(""), nil
	}}}}
	in := PrepareInput{Plan: tools.Plan{ReadOnly: true, RequireCheckpoint: true}, Calls: []PreparedCall{number(`{}`)}}
	for _, step := range []struct {
		want string
		mend func()
	}{
		{tools.ErrInvalidArguments, func() { in.Calls[0] = number(`{"n":"5"}`) }},
		{tools.ErrAccessDenied, func() { in.Plan.ReadOnly = false }},
		{tools.ErrCheckpointRequired, func() { in.Plan.RequireCheckpoint = false }},
		{tools.ErrBudgetExceeded, func() { in.Budget.Calls = 1 }},
		{tools.ErrBlocked, func() {}},
	} {
		p := prepareOnce(t, parts, in)
		require.NotNil(t, p.Immediate)
		require.Equal(t, step.want, p.Immediate.ErrorType)
		step.mend()
	}
	require.Contains(t, prepareOnce(t, parts, in).Immediate.Output, "the call was blocked", "also without a reason")
	asked = asked[1:]
	require.Equal(t, []string{`{"n":5}`}, asked, "a hook is asked last, about arguments that are coerced and valid")
}

func TestArgumentsOfAHookAreNotValidatedAgain(t *testing.T) {
	t.Parallel()
	hook := func(context.Context, HookCall) (Decision, error) {
		return Allow().With(json.RawMessage(`{"n":"many"}`)), nil
	}
	p := prepareOnce(t, Parts{Hooks: Hooks{Before: []BeforeToolCall{hook}}},
		PrepareInput{Calls: []PreparedCall{number(`{"n":5}`)}, Budget: Budget{Calls: -1}})
	require.Nil(t, p.Immediate)
	require.Equal(t, `{"n":"many"}`, string(p.Arguments))
}

// executeHooked runs the tool once under an after-hook.
func executeHooked(ctx context.Context, t *testing.T, tool oneTool, hook AfterToolCall) tools.Outcome {
	t.Helper()
	a, err := New(Parts{
		Model: &echo{}, Engine: newRun(0), Sources: map[string]Source{"one": tool}, Hooks: Hooks{After: []AfterToolCall{hook}},
	})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.RegisterActivity(a)
	got, err := env.ExecuteActivity(a.Execute, input(tools.EffectRead))
	require.NoError(t, err)
	var o tools.Outcome
	require.NoError(t, got.Get(&o))
	return o
}

func TestAfterHookChangesAnOutputFieldByField(t *testing.T) {
	t.Parallel()
	whole := tools.Output{Content: "x", Terminate: true}
	for name, row := range map[string]struct {
		out       tools.Output
		err       error
		hook      func(*tools.Output)
		status    tools.OutcomeStatus
		text      string
		terminate bool
	}{
		"nothing":                {whole, nil, func(*tools.Output) {}, tools.Succeeded, "x", true},
		"content":                {whole, nil, func(o *tools.Output) { o.Content = "y" }, tools.Succeeded, "y", true},
		"content, emptied":       {whole, nil, func(o *tools.Output) { o.Content = nil }, tools.Succeeded, "", true},
		"the end, taken back":    {whole, nil, func(o *tools.Output) { o.Terminate = false }, tools.Succeeded, "x", false},
		"the end, asked for":     {tools.Output{Content: "x"}, nil, func(o *tools.Output) { o.Terminate = true }, tools.Succeeded, "x", true},
		"a failure never ends":   {whole, nil, func(o *tools.Output) { o.IsError = true }, tools.Failed, "x", false},
		"an error, forgiven":     {tools.Output{Content: "x", IsError: true}, nil, func(o *tools.Output) { o.IsError = false }, tools.Succeeded, "x", false},
		"an error that is given": {tools.Output{}, errors.New("no"), func(o *tools.Output) { o.Content, o.IsError = "none", false }, tools.Succeeded, "none", false},
	} {
		o := executeHooked(t.Context(), t, oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return row.out, row.err
		}}, func(_ context.Context, _ HookCall, out *tools.Output) error { row.hook(out); return nil })
		require.Equal(t, row.status, o.Status, name)
		require.Equal(t, row.text, o.Output, name)
		require.Equal(t, row.terminate, o.Terminate, name)
	}
}

func TestCancelEndsThePreparing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Hooks: Hooks{Before: []BeforeToolCall{func(context.Context, HookCall) (Decision, error) {
		asked++
		cancel()
		return Allow(), nil
	}}}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	env.RegisterActivity(a)
	_, err = env.ExecuteActivity(a.Prepare, PrepareInput{Calls: []PreparedCall{number(`{"n":1}`), number(`{"n":2}`)}, Budget: Budget{Calls: -1}})
	require.ErrorContains(t, err, "canceled")
	require.Equal(t, 1, asked)
}

func TestNoHookSeesAResultThatComesAfterACancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := executeHooked(ctx, t, oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
		cancel()
		return tools.Output{Content: "late"}, nil
	}}, func(context.Context, HookCall, *tools.Output) error { return errors.New("asked after the cancel") })
	require.Equal(t, tools.Succeeded, o.Status)
	require.Equal(t, "late", o.Output)
}

func TestChangesAreTakenFromWhatHasRun(t *testing.T) {
	t.Parallel()
	made := []tools.Change{{Resource: "file:a", Kind: "created"}}
	for name, row := range map[string]struct {
		out  tools.Output
		hook error
	}{
		"succeeded":         {tools.Output{Changes: made}, nil},
		"failed":            {tools.Output{Changes: made, IsError: true}, nil},
		"failed in a hook":  {tools.Output{Changes: made}, errors.New("cannot log")},
		"cannot be written": {tools.Output{Changes: made, Content: make(chan int)}, nil},
	} {
		o := executeHooked(t.Context(), t, oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return row.out, nil
		}}, func(context.Context, HookCall, *tools.Output) error { return row.hook })
		require.Equal(t, made, o.Changes, name)
	}
}

func TestEveryRoundIsSentTheSameSettings(t *testing.T) {
	t.Parallel()
	f, m := newRun(6), &echo{}
	f.surface = `{"model":"m","instructions":"Be brief.","tools":[{"name":"t"}],"parallel_tool_calls":false,"settings":{"max_output_tokens":7,"vendor":{"n":1.0}}}`
	env, a := inferEnv(t, f, m, 0)
	for i, choice := range []string{`"required"`, `"auto"`} {
		in := f.input(0, 3+3*i)
		in.Round, in.ToolChoice = i+1, json.RawMessage(choice)
		_, err := env.ExecuteActivity(a.Infer, in)
		require.NoError(t, err)
		require.Equal(t, choice, string(m.seen[i].ToolChoice))
		require.Equal(t, map[string]json.RawMessage{"max_output_tokens": json.RawMessage(`7`), "vendor": json.RawMessage(`{"n":1.0}`)}, m.seen[i].Settings)
		require.Equal(t, "Be brief.", m.seen[i].Instructions)
		require.Equal(t, []model.FunctionTool{{Name: "t"}}, m.seen[i].Tools)
		require.False(t, *m.seen[i].ParallelToolCalls)
	}
}
