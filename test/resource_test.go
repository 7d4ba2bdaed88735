package test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/tools/platform"
	"errand/worker"
	"errand/workflows/contract"
)

// boxes is a resource of the tests that counts what is opened and closed.
type boxes struct {
	mu sync.Mutex
	// log holds "open run/epoch" and "close run/epoch" in order.
	log []string
	// refuse fails as many openings.
	refuse  int
	closing error
	calls   int
}

type box struct {
	of   *boxes
	name string
}

func (b *boxes) note(what, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, what+" "+name)
}

func (b *boxes) open(_ context.Context, o tools.SessionSpec) (worker.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse > 0 {
		b.refuse--
		return nil, errors.New("no room")
	}
	name := fmt.Sprintf("%s/%d", o.RunID, o.Epoch)
	b.log = append(b.log, "open "+name)
	return &box{of: b, name: name}, nil
}

func (b *box) Close(context.Context) error {
	b.of.note("close", b.name)
	return b.of.closing
}

// seen is what happened to the boxes of a run.
func (b *boxes) seen(run string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var some []string
	for _, line := range b.log {
		if what, name, _ := cutLine(line); name[:len(name)-2] == run {
			some = append(some, what+name[len(run):])
		}
	}
	return some
}

func cutLine(line string) (what, name string, ok bool) {
	for i := range line {
		if line[i] == ' ' {
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

// tool is a tool that says which box it works in. work may be nil.
func (b *boxes) tool(resource *worker.Resource, name string, work func(context.Context) error) worker.Tool {
	return worker.Tool{
		Name: name, Description: "Works in a box.", Effect: tools.EffectIdempotent, ParallelSafe: true, Resource: resource,
		Execute: func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
			mine, ok := platform.Opened[*box](ctx)
			if !ok {
				return tools.Output{}, errors.New("no box")
			}
			b.mu.Lock()
			b.calls++
			b.mu.Unlock()
			if work != nil {
				if err := work(ctx); err != nil {
					return tools.Output{}, err
				}
			}
			return tools.Output{Content: "in " + mine.name}, nil
		},
	}
}

func (b *boxes) resource() *worker.Resource { return &worker.Resource{Name: "box", Open: b.open} }

// threeThen asks for three calls at once, then for what then says.
func threeThen(then ...harness.Answer) harness.Script {
	return harness.Rounds(append([]harness.Answer{harness.Calls(
		harness.ToolCall{ID: "c1", Name: "work", Arguments: `{}`},
		harness.ToolCall{ID: "c2", Name: "work", Arguments: `{}`},
		harness.ToolCall{ID: "c3", Name: "work", Arguments: `{}`},
	)}, then...)...)
}

func boxRequest() starter.Request {
	return starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("work"), starter.Function("ask", "", nil)}}
}

func (b *boxes) requireClosed(t *testing.T, run string, want ...string) {
	t.Helper()
	harness.Eventually(t, patience, func() (bool, string) {
		got := b.seen(run)
		return slices.Equal(want, got), fmt.Sprint(got)
	}, "every opening is closed")
}

func TestResourceIsOpenedOnceForAllCallsOfARunAndClosedWithIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeThen(harness.Calls(harness.ToolCall{ID: "c4", Name: "work", Arguments: `{}`}), harness.Say("done")))
	b := &boxes{}
	s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil)))
	ctx := within(t)
	for range 2 { // a second run opens its own
		run, err := s.starter.Start(ctx, boxRequest())
		require.NoError(t, err)
		result, err := run.Result(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{"open/1", "close/1"}, b.seen(run.ID()))
		require.Equal(t, []contract.Release{{Source: "platform/box", Epoch: 1}}, result.Run.Release)
		for _, trace := range result.Run.Traces {
			require.True(t, trace.Success, trace.Error)
		}
	}
	require.Equal(t, 8, b.calls)
}

func TestRunThatNeedsNothingOpenHasNoCleanup(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(harness.Calls(harness.ToolCall{ID: "c1", Name: "weather", Arguments: `{}`}), harness.Say("done")))
	b := &boxes{}
	s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil), fixed("weather", "sunny")))
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("work"), starter.Platform("weather")}})
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Empty(t, result.Run.Release)
	require.Empty(t, b.seen(run.ID()), "discovery and enumeration open nothing")
}

func TestFailedOpeningIsTheOutcomeAndIsNotKept(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeThen(harness.Calls(harness.ToolCall{ID: "c4", Name: "work", Arguments: `{}`}), harness.Say("done")))
	b := &boxes{refuse: 1}
	s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, boxRequest())
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	failed := 0
	for _, trace := range result.Run.Traces[:3] {
		if !trace.Success {
			require.Contains(t, trace.Error, "no room")
			failed++
		}
	}
	require.NotZero(t, failed)
	require.True(t, result.Run.Traces[3].Success, "the next call opens it again")
	b.requireClosed(t, run.ID(), "open/2", "close/2")
	require.Equal(t, []contract.Release{{Source: "platform/box", Epoch: 2}}, result.Run.Release)
}

func TestFailingCloseChangesNothingButTheReport(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeThen(harness.Say("done")))
	b := &boxes{closing: errors.New("stuck")}
	s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, boxRequest())
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, []contract.Release{{Source: "platform/box", Epoch: 1, Error: "stuck"}}, result.Run.Release)
	b.requireClosed(t, run.ID(), "open/1", "close/1")
}

// TestResourceIsClosedHoweverTheRunEnds: each end closes it exactly once.
func TestResourceIsClosedHoweverTheRunEnds(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		then    harness.Answer
		timeout bool
		end     func(context.Context, *stage, *starter.Run) error
	}{
		"failure": {then: harness.Failure(400, "bad_request", "no")},
		"cancel": {then: harness.Calls(harness.ToolCall{ID: "a", Name: "ask", Arguments: `{}`}), end: func(ctx context.Context, _ *stage, run *starter.Run) error {
			return run.Cancel(ctx)
		}},
		"terminate": {then: harness.Calls(harness.ToolCall{ID: "a", Name: "ask", Arguments: `{}`}), end: func(ctx context.Context, s *stage, run *starter.Run) error {
			return s.client.TerminateWorkflow(ctx, run.ID(), "", "test")
		}},
		"execution timeout": {then: harness.Calls(harness.ToolCall{ID: "a", Name: "ask", Arguments: `{}`}), timeout: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, threeThen(row.then))
			b := &boxes{}
			s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil)))
			ctx := within(t)
			var run *starter.Run
			if row.timeout {
				run = s.timedOut(ctx, b)
			} else {
				var err error
				run, err = s.starter.Start(ctx, boxRequest())
				require.NoError(t, err)
			}
			if row.end != nil {
				pendingAction(t, run)
				require.Equal(t, []string{"open/1"}, b.seen(run.ID()))
				require.NoError(t, row.end(ctx, s, run))
			}
			_, err := run.Result(ctx)
			require.Error(t, err)
			b.requireClosed(t, run.ID(), "open/1", "close/1")
		})
	}
}

// timedOut is a run that ran out of time after it had opened its box: with more
// time where the machine is too busy for that.
func (s *stage) timedOut(ctx context.Context, b *boxes) *starter.Run {
	s.t.Helper()
	for limit := 5 * time.Second; ; limit *= 2 {
		run := s.startWithTimeout(ctx, limit)
		_, err := run.Result(ctx)
		require.Error(s.t, err)
		if len(b.seen(run.ID())) > 0 {
			return run
		}
		require.NoError(s.t, ctx.Err())
	}
}

func (s *stage) startWithTimeout(ctx context.Context, limit time.Duration) *starter.Run {
	s.t.Helper()
	id := fmt.Sprintf("timed-%s-%s", s.queue, limit)
	_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: s.queue, WorkflowExecutionTimeout: limit, // a user may set one
	}, contract.TypeRun, map[string]any{
		"model": "m", "input": "go",
		"tools": []map[string]any{{"type": "platform", "name": "work"}, {"type": "function", "name": "ask"}},
	})
	require.NoError(s.t, err)
	return s.starter.Attach(id)
}
