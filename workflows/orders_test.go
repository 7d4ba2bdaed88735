package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
)

// log is what tools and hooks did, in order.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// gates make tools wait for each other: a call named in after starts, or ends,
// only once the others have ended.
func gated(l *log, waits map[string]<-chan struct{}, ends map[string]chan struct{}) func(context.Context, tools.Invocation) (tools.Output, error) {
	return func(ctx context.Context, c tools.Invocation) (tools.Output, error) {
		l.add("start " + c.Call.ID)
		if gate, ok := waits[c.Call.ID]; ok {
			select {
			case <-gate:
			case <-ctx.Done():
				return tools.Output{}, ctx.Err()
			}
		}
		if end, ok := ends[c.Call.ID]; ok {
			defer close(end)
		}
		return tools.Output{Content: "out " + c.Call.ID}, nil
	}
}

func TestEndsComeInCompletionOrderAndResultsInOriginOrder(t *testing.T) {
	t.Parallel()
	all := source{"c": answers("C")}
	b := newBench(t, all, activities.Hooks{},
		calls("1", "a", `{}`, "2", "b", `{}`, "3", "c", `{}`, "4", "nope", `{}`), say("done"))
	all["a"], all["b"] = b.after(1, "A"), b.after(2, "B")
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"platform","name":"b"},{"type":"platform","name":"c"}]}`)
	require.NoError(t, err)
	require.Equal(t, []string{
		"run_start", "round_start",
		"tool_execution_start 1", "tool_execution_start 2", "tool_execution_start 3", "tool_execution_start 4",
		"tool_execution_end 4", // it never ran
		"tool_execution_end 3", "tool_execution_end 2", "tool_execution_end 1",
		"tool_result 1", "tool_result 2", "tool_result 3", "tool_result 4", "round_end",
		"round_start", "message", "round_end", "run_end",
	}, b.events())
}

func TestEverythingIsPreparedBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	var l log
	hooks := activities.Hooks{Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
		l.add("prepare " + c.Call.ID)
		return activities.Allow(), nil
	}}}
	b := newBench(t, source{"a": gated(&l, nil, nil)}, hooks, calls("1", "a", `{}`, "2", "a", `{}`, "3", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Equal(t, []string{"prepare 1", "prepare 2", "prepare 3"}, l.lines[:3])
	require.Len(t, l.lines, 6)
}

func TestSequentialBatchPreparesEachCallAfterThePreviousHasEnded(t *testing.T) {
	t.Parallel()
	var l log
	hooks := activities.Hooks{Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
		l.add("prepare " + c.Call.ID)
		return activities.Allow(), nil
	}}}
	b := newBench(t, source{"a": gated(&l, nil, nil)}, hooks, calls("1", "a", `{}`, "2", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"tool_execution":"sequential"}}`)
	require.NoError(t, err)
	require.Equal(t, []string{"prepare 1", "start 1", "prepare 2", "start 2"}, l.lines)
}

func TestWindowIsRefilledAsCallsEnd(t *testing.T) {
	t.Parallel()
	var l log
	// The first call ends last: all others pass through the second place.
	last := make(chan struct{})
	tool := gated(&l, map[string]<-chan struct{}{"1": last}, map[string]chan struct{}{"9": last})
	var words []string
	for i := range 9 {
		words = append(words, fmt.Sprint(i+1), "a", `{}`)
	}
	b := newBench(t, source{"a": tool}, activities.Hooks{}, calls(words...), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_parallel_calls":2}}`)
	require.NoError(t, err)
	require.Len(t, b.outputs(), 9)
}

func TestExclusiveCallWaitsOutsideTheWindow(t *testing.T) {
	t.Parallel()
	var l log
	// The first exclusive call ends only after the call to a: were the second
	// exclusive one to hold a place of the two while it waits, a could not run.
	other := make(chan struct{})
	tool := gated(&l, map[string]<-chan struct{}{"1": other}, map[string]chan struct{}{"3": other})
	b := newBench(t, source{"a": tool, "exclusive": tool}, activities.Hooks{},
		calls("1", "exclusive", `{}`, "2", "exclusive", `{}`, "3", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"platform","name":"exclusive"}],"run":{"max_parallel_calls":2}}`)
	require.NoError(t, err)
	require.Equal(t, []string{"out 1", "out 2", "out 3"}, b.outputs())
	require.Less(t, slices.Index(l.lines, "start 3"), slices.Index(l.lines, "start 2"))
}

func TestImmediateOutcomesStandBetweenExecutedOnes(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A"), "b": answers("B")}, activities.Hooks{},
		calls("1", "a", `{}`, "2", "ask", `{"q":{}}`, "3", "b", `{}`, "4", "nope", `{}`), say("done"))
	_, err := b.run(request(""))
	require.NoError(t, err)
	require.Equal(t, []string{
		"run_start", "round_start",
		"tool_execution_start 1", "tool_execution_start 2", "tool_execution_start 3", "tool_execution_start 4",
		"tool_execution_end 4", "tool_execution_end 2",
	}, b.events()[:8])
	got := b.outputs()
	require.Equal(t, "A", got[0])
	require.True(t, strings.Contains(got[1], "InvalidArguments") && strings.Contains(got[3], "UnknownTool"))
	require.Equal(t, "B", got[2])
}
