package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"errand/activities/model"
	"errand/activities/translate"
	"errand/tools"
)

// A worker that goes away is never mistaken for a run that is cancelled.
func TestEndOfAContextIsToldByItsCause(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	stop(sdkworker.ErrWorkerShutdown)
	var app *temporal.ApplicationError
	require.ErrorAs(t, stopped(ctx, Heartbeat{Begun: true}), &app)
	require.Equal(t, TypeWorkerStopped, app.Type())
	require.False(t, app.NonRetryable())
	var p Heartbeat
	require.NoError(t, app.Details(&p))
	require.True(t, p.Begun)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, context.Canceled, stopped(ctx, Heartbeat{Begun: true}))
}

// Prepare is a local activity: it gets the workflow's own values, and may be
// repeated.
func TestPreparingDoesNotSpendTheRunsOwnCounts(t *testing.T) {
	t.Parallel()
	c := number(`{"n":1}`)
	c.Descriptor.MaxUses = 2
	used := map[string]int{"t": 1}
	before := maps.Clone(used)
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Sources: map[string]Source{"one": oneTool{}}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	_, err = env.ExecuteLocalActivity(func(ctx context.Context) error {
		_, err := a.Prepare(ctx, PrepareInput{Calls: []PreparedCall{c}, Budget: Budget{Calls: -1, Used: used}})
		return err
	})
	require.NoError(t, err)
	require.Equal(t, before, used)
}

func TestAnswersCountAsTheyTravel(t *testing.T) {
	t.Parallel()
	at := translate.New(translate.Surface{})
	for text, fits := range map[string]bool{
		strings.Repeat("a", maxAnswer-1000):   true,
		strings.Repeat("a", maxAnswer):        false,
		strings.Repeat("<", maxAnswer/6-1000): true,
		strings.Repeat("<", maxAnswer/6):      false,
	} {
		_, err := decode(model.Answer{Items: []json.RawMessage{json.RawMessage(`{"type":"message","content":"` + text + `"}`)}}, at, 1)
		if fits {
			require.NoError(t, err)
			continue
		}
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.Equal(t, TypeLimitExceeded, app.Type())
		require.True(t, app.NonRetryable())
	}
}

// What a batch's arguments changed to enters history together.
func TestArgumentsOfABatchAreBoundedTogether(t *testing.T) {
	t.Parallel()
	grows := func(context.Context, HookCall) (Decision, error) {
		return Allow().With(json.RawMessage(`{"n":"` + strings.Repeat("a", 700<<10) + `"}`)), nil
	}
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Hooks: Hooks{Before: []BeforeToolCall{grows}}, Sources: map[string]Source{"one": oneTool{}}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteLocalActivity(a.Prepare, PrepareInput{
		Calls: []PreparedCall{number(`{"n":1}`), number(`{"n":1}`), number(`{"n":1}`)}, Budget: Budget{Calls: -1},
	})
	require.NoError(t, err)
	var out PrepareResult
	require.NoError(t, got.Get(&out))
	require.Nil(t, out.Calls[1].Immediate)
	require.Contains(t, out.Calls[2].Immediate.Output, "too large together")
	require.LessOrEqual(t, tools.EncodedSize(out), maxAnswer+1000)
}

// named has tools with long descriptions.
type named struct{ oneTool }

func (named) Describe(name string) (tools.Descriptor, bool) {
	return tools.Descriptor{ModelName: name, Name: name, Description: strings.Repeat("d", 100<<10)}, true
}

func TestDescriptorsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Sources: map[string]Source{tools.SourcePlatform: named{}}})
	require.NoError(t, err)
	for n, fits := range map[int]bool{10: true, 20: false} {
		var in DiscoverInput
		for i := range n {
			in.Declarations = append(in.Declarations, tools.Declaration{Type: tools.TypePlatform, Name: fmt.Sprint(i), Path: fmt.Sprintf("tools[%d]", i)})
		}
		out, err := a.Discover(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, fits, len(out.Faults) == 0, "%v", out.Faults)
		require.Equal(t, fits, len(out.Found) == n)
	}
}

func TestEveryRoundHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	f, m := newRun(2), &echo{}
	env, a := inferEnv(t, f, m, 0)
	keys := map[string]int{}
	for _, round := range []int{1, 1, 2} {
		in := f.input(0, 1)
		in.Round = round
		_, err := env.ExecuteActivity(a.Infer, in)
		require.NoError(t, err)
		keys[m.seen[len(m.seen)-1].Key]++
	}
	require.Len(t, keys, 2, "%v", keys)
	require.NotContains(t, keys, "")
}
