package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"errand/activities/cache"
	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

// fakeRun answers the queries of a run that holds items and a surface.
type fakeRun struct {
	items   []json.RawMessage
	surface string
	asked   atomic.Int64
	perPage int
	failing atomic.Int64 // so many queries fail first
	marks   atomic.Int64
	signals chan []contract.ProgressUpdate
}

func (f *fakeRun) QueryWorkflow(_ context.Context, _, _, query string, args ...any) (converter.EncodedValue, error) {
	f.asked.Add(1)
	if f.failing.Add(-1) >= 0 {
		return nil, errors.New("busy")
	}
	from := args[0].(contract.PageQuery).From
	var answer any
	if query == contract.QuerySurface {
		end := min(from+10, len(f.surface))
		answer = contract.SurfacePage{Text: f.surface[from:end], Next: end, Done: end == len(f.surface)}
	} else {
		end := min(from+f.perPage, len(f.items))
		answer = contract.ItemsPage{Items: f.items[from:end], Next: end, Done: end == len(f.items)}
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(answer)
	if err != nil {
		return nil, err
	}
	return value{payloads: payloads}, nil
}

func (f *fakeRun) SignalWorkflow(_ context.Context, _, _, _ string, payload any) error {
	if updates, ok := payload.([]contract.ProgressUpdate); ok {
		f.signals <- updates
	}
	return nil
}

func (f *fakeRun) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{}, nil
}

func (f *fakeRun) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	f.marks.Add(1)
	return nil
}

type value struct{ payloads *commonpb.Payloads }

func (v value) HasValue() bool { return true }

func (v value) Get(target any) error {
	return converter.GetDefaultDataConverter().FromPayloads(v.payloads, target)
}

// echo is a model that says how many items it was shown.
type echo struct{ seen []model.Request }

func (e *echo) Infer(_ context.Context, r model.Request) (model.Answer, error) {
	e.seen = append(e.seen, r)
	return model.Answer{
		Finish: model.FinishCompleted, Items: []json.RawMessage{item.Message("assistant", fmt.Sprint(len(r.Items)))},
	}, nil
}

func newRun(n int) *fakeRun {
	f := &fakeRun{surface: `{"model":"m"}`, perPage: 2, signals: make(chan []contract.ProgressUpdate, 100)}
	for i := range n {
		f.items = append(f.items, item.Message("user", fmt.Sprint(i)))
	}
	return f
}

// input describes the run's first length items, with those from from on.
func (f *fakeRun) input(from, length int) InferInput {
	c := cache.Conversation{}.With(f.items[:length]...)
	return InferInput{
		Round: 1, Surface: item.Digest([]byte(f.surface)), Length: length, Digest: c.Digest(),
		From: from, Items: f.items[from:length],
	}
}

func inferEnv(t *testing.T, f *fakeRun, m model.Model, memory int) (*testsuite.TestActivityEnvironment, *Activities) {
	t.Helper()
	a, err := New(Parts{Model: m, Engine: f, CacheBytes: memory})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	return env, a
}

func TestInferAsksTheRunOnlyForWhatItLacks(t *testing.T) {
	t.Parallel()
	f, m := newRun(7), &echo{}
	env, a := inferEnv(t, f, m, 0)

	_, err := env.ExecuteActivity(a.Infer, f.input(0, 3))
	require.NoError(t, err)
	surfaceOnly := f.asked.Load()
	require.EqualValues(t, 2, surfaceOnly, "the surface, in two pages")

	// The answer of the first inference is the run's fourth item.
	f.items[3] = item.Message("assistant", "3")
	_, err = env.ExecuteActivity(a.Infer, f.input(3, 5))
	require.NoError(t, err)
	require.Equal(t, surfaceOnly, f.asked.Load(), "everything was held here or came with the input")
	require.Equal(t, f.items[:5], m.seen[1].Items)

	large := f.input(5, 7)
	large.Items = nil
	_, err = env.ExecuteActivity(a.Infer, large)
	require.NoError(t, err)
	require.Greater(t, f.asked.Load(), surfaceOnly, "large items are asked for")
	require.Equal(t, f.items, m.seen[2].Items)
}

func TestAnotherWorkerGetsTheWholeConversation(t *testing.T) {
	t.Parallel()
	f, m := newRun(9), &echo{}
	env, a := inferEnv(t, f, m, 0)
	f.failing.Store(2)
	_, err := env.ExecuteActivity(a.Infer, f.input(7, 9))
	require.NoError(t, err)
	require.Equal(t, f.items, m.seen[0].Items)
}

func TestConversationOfAnotherBranchIsThrownAway(t *testing.T) {
	t.Parallel()
	f, m := newRun(6), &echo{}
	env, a := inferEnv(t, f, m, 0)
	_, err := env.ExecuteActivity(a.Infer, f.input(0, 6))
	require.NoError(t, err)
	f.items[1] = item.Message("user", "the run was reset and went another way")
	_, err = env.ExecuteActivity(a.Infer, f.input(4, 6))
	require.NoError(t, err)
	require.Equal(t, f.items, m.seen[1].Items)
}

func TestNothingKeptStillInfers(t *testing.T) {
	t.Parallel()
	f, m := newRun(6), &echo{}
	env, a := inferEnv(t, f, m, 1)
	for _, in := range []InferInput{f.input(0, 3), f.input(3, 6)} {
		_, err := env.ExecuteActivity(a.Infer, in)
		require.NoError(t, err)
	}
	require.Equal(t, f.items, m.seen[1].Items)
}
