package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

type oneTool struct {
	run    func(context.Context, tools.Invocation) (tools.Output, error)
	schema string
}

func (o oneTool) Describe(name string) (tools.Descriptor, bool) {
	d := tools.Descriptor{ModelName: name, Name: name, Owner: tools.OwnedByGateway, GatewayTool: tools.GatewayTool{Source: "one"}}
	if o.schema != "" {
		d.OutputSchema = json.RawMessage(o.schema)
	}
	return d, name == "t"
}

func (oneTool) Prepare(_ string, arguments []byte) ([]byte, error) { return arguments, nil }

func (o oneTool) Execute(ctx context.Context, _ string, call tools.Invocation) (tools.Output, error) {
	return o.run(ctx, call)
}

func executeOnce(t *testing.T, tool oneTool, f *fakeRun, in ExecuteInput) (tools.Outcome, error) {
	t.Helper()
	a, err := New(Parts{Model: &echo{}, Engine: f, Sources: map[string]Source{"one": tool}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteActivity(a.Execute, in)
	if err != nil {
		return tools.Outcome{}, err
	}
	var o tools.Outcome
	require.NoError(t, got.Get(&o))
	return o, nil
}

func input(effect tools.Effect) ExecuteInput {
	return ExecuteInput{
		Call:   tools.Call{ID: "c", Round: 2, Index: 1, Tool: "t", Arguments: `{"a":1}`},
		Source: "one", Effect: effect, Timeout: time.Minute,
	}
}

func TestToolFailuresAreValues(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		run       func(context.Context, tools.Invocation) (tools.Output, error)
		status    tools.OutcomeStatus
		errorType string
		contains  string
	}{
		"success": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: "fine"}, nil
		}, tools.Succeeded, "", "fine"},
		"an object": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: map[string]int{"n": 1}}, nil
		}, tools.Succeeded, "", `{"n":1}`},
		"nothing": {func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, nil }, tools.Succeeded, "", ""},
		"an error": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{}, errors.New("no such city")
		}, tools.Failed, tools.ErrExecutionFailed, "no such city"},
		"an error value": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: "bad", IsError: true, Terminate: true}, nil
		}, tools.Failed, tools.ErrExecutionFailed, "bad"},
		"a panic": {func(context.Context, tools.Invocation) (tools.Output, error) { panic("bug") }, tools.Failed, tools.ErrExecutionFailed, "bug"},
		"not JSON": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: make(chan int)}, nil
		}, tools.Failed, tools.ErrExecutionFailed, "JSON"},
		"not UTF-8": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: "a\xffb"}, nil
		}, tools.Succeeded, "", "a\uFFFDb"},
		"a hidden timeout": {func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{}, context.DeadlineExceeded
		}, tools.Failed, tools.ErrExecutionFailed, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := executeOnce(t, oneTool{run: row.run}, newRun(0), input(tools.EffectRead))
			require.NoError(t, err)
			require.Equal(t, row.status, o.Status)
			require.Equal(t, row.errorType, o.ErrorType)
			require.Contains(t, o.Output, row.contains)
			require.False(t, o.Terminate)
			require.False(t, o.StartedAt.IsZero())
			require.GreaterOrEqual(t, o.TookMS, int64(0))
		})
	}
}

func TestToolSeesItsCallAndKey(t *testing.T) {
	t.Parallel()
	var seen tools.Invocation
	_, err := executeOnce(t, oneTool{run: func(_ context.Context, c tools.Invocation) (tools.Output, error) {
		seen = c
		return tools.Output{}, nil
	}}, newRun(0), input(tools.EffectRead))
	require.NoError(t, err)
	require.Equal(t, seen.RunID+"/2/1", seen.Key)
	require.JSONEq(t, `{"a":1}`, string(seen.Arguments))
	require.Equal(t, 1, seen.Attempt)
}

func TestSlowToolTimesOut(t *testing.T) {
	t.Parallel()
	in := input(tools.EffectRead)
	in.Timeout = 20 * time.Millisecond
	o, err := executeOnce(t, oneTool{run: func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
		<-ctx.Done()
		return tools.Output{}, ctx.Err()
	}}, newRun(0), in)
	require.NoError(t, err)
	require.Equal(t, tools.ErrTimedOut, o.ErrorType)
}

func TestOnlyOnceCallsMarkTheirBegin(t *testing.T) {
	t.Parallel()
	for effect, want := range map[tools.Effect]int64{tools.EffectRead: 0, tools.EffectIdempotent: 0, tools.EffectOnce: 1} {
		f := newRun(0)
		marked := int64(-1)
		_, err := executeOnce(t, oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			marked = f.marks.Load()
			return tools.Output{}, nil
		}}, f, input(effect))
		require.NoError(t, err)
		require.Equal(t, want, marked, "%s: the mark comes before the tool", effect)
	}
}

func TestUnmarkedCallDoesNotTouchItsTool(t *testing.T) {
	t.Parallel()
	touched := false
	tool := oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
		touched = true
		return tools.Output{}, nil
	}}
	a, err := New(Parts{Model: &echo{}, Engine: deaf{newRun(0)}, Sources: map[string]Source{"one": tool}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	_, err = env.ExecuteActivity(a.Execute, input(tools.EffectOnce))
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, TypeNotBegun, app.Type())
	require.False(t, touched)
}

type deaf struct{ *fakeRun }

func (deaf) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	return errors.New("unavailable")
}

func TestLargeOutputIsCutAndSaysSo(t *testing.T) {
	t.Parallel()
	o, err := executeOnce(t, oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
		return tools.Output{Content: strings.Repeat("\x00", 3<<20)}, nil
	}}, newRun(0), input(tools.EffectRead))
	require.NoError(t, err)
	require.Equal(t, tools.Succeeded, o.Status)
	require.Equal(t, 3<<20, o.FullSize)
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.Less(t, len(text), 3<<19)
	require.NotEmpty(t, o.Warnings)
}

func TestOutputSchemaWarnsOnly(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","required":["n"]}`
	for name, row := range map[string]struct {
		out  tools.Output
		want int
	}{
		"fits":               {tools.Output{Content: json.RawMessage(`{"n":1}`)}, 0},
		"does not fit":       {tools.Output{Content: json.RawMessage(`{}`)}, 1},
		"is no JSON":         {tools.Output{Content: "text"}, 1},
		"an error is exempt": {tools.Output{Content: "text", IsError: true}, 0},
	} {
		o, err := executeOnce(t, oneTool{schema: schema, run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return row.out, nil
		}}, newRun(0), input(tools.EffectRead))
		require.NoError(t, err)
		require.Len(t, o.Warnings, row.want, name)
	}
}

func TestUnknownSourceIsAnOutcome(t *testing.T) {
	t.Parallel()
	in := input(tools.EffectRead)
	in.Source = "gone"
	o, err := executeOnce(t, oneTool{}, newRun(0), in)
	require.NoError(t, err)
	require.Equal(t, tools.ErrNoHandler, o.ErrorType)
}

// logged keeps what is logged, as text.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) add(message string, keyvals ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, message+" "+fmt.Sprint(keyvals...))
}

func (l *logged) Debug(string, ...any)                 {}
func (l *logged) Info(string, ...any)                  {}
func (l *logged) Warn(message string, keyvals ...any)  { l.add(message, keyvals...) }
func (l *logged) Error(message string, keyvals ...any) { l.add(message, keyvals...) }

// Whoever wrote a tool or a hook finds in the worker's log where it panicked;
// the model reads only what it said.
func TestStacksOfPanicsAreLogged(t *testing.T) {
	t.Parallel()
	panics := func(context.Context, tools.Invocation) (tools.Output, error) { panicHere(); return tools.Output{}, nil }
	works := func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, nil }
	for name, row := range map[string]struct {
		tool  oneTool
		hooks Hooks
	}{
		"a tool":        {oneTool{run: panics}, Hooks{}},
		"an after-hook": {oneTool{run: works}, Hooks{After: []AfterToolCall{func(context.Context, HookCall, *tools.Output) error { panicHere(); return nil }}}},
		"a before-hook": {oneTool{run: works}, Hooks{Before: []BeforeToolCall{func(context.Context, HookCall) (Decision, error) { panicHere(); return Decision{}, nil }}}},
		"an output": {oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: bomb{}}, nil
		}}, Hooks{}},
		"an error": {oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, bomb{} }}, Hooks{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Hooks: row.hooks, Sources: map[string]Source{"one": row.tool}})
			require.NoError(t, err)
			var suite testsuite.WorkflowTestSuite
			all := &logged{}
			suite.SetLogger(all)
			env := suite.NewTestActivityEnvironment()
			env.RegisterActivity(a)
			in := input(tools.EffectRead)
			if row.hooks.Before != nil {
				_, err = env.ExecuteLocalActivity(a.Prepare, PrepareInput{Calls: []PreparedCall{{Call: in.Call}}})
			} else {
				_, err = env.ExecuteActivity(a.Execute, in)
			}
			require.NoError(t, err)
			require.Contains(t, strings.Join(all.lines, "\n"), "panicHere")
		})
	}
}

func panicHere() { panic("bug") }

// bomb panics whenever it is looked at.
type bomb struct{}

func (bomb) Error() string                { panicHere(); return "" }
func (bomb) MarshalJSON() ([]byte, error) { panicHere(); return nil, nil }
