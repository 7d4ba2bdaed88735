package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
)

// TestLargeArgumentsAreNotScheduledAllAtOnce holds the first calls until as
// many run as there is room for: more would mean that no bound holds, fewer
// that the test waits for ever.
func TestLargeArgumentsAreNotScheduledAllAtOnce(t *testing.T) {
	t.Parallel()
	const size, fit = 60 << 10, 33 // 33 × (60 + 1) KiB are just under 2 MiB
	running, most, full := 0, 0, make(chan struct{})
	var b *bench
	s := source{"a": func(context.Context, tools.Invocation) (tools.Output, error) {
		b.mu.Lock()
		running++
		if most = max(most, running); running == fit {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		b.mu.Unlock()
		<-full
		b.mu.Lock()
		defer b.mu.Unlock()
		running--
		return tools.Output{Content: "ok"}, nil
	}}
	var words []string
	for i := range 100 {
		words = append(words, fmt.Sprintf("c%d", i), "a", `{"s":"`+strings.Repeat("x", size-12)+`"}`)
	}
	b = newBench(t, s, activities.Hooks{}, calls(words...), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_parallel_calls":100}}`)
	require.NoError(t, err)
	require.Equal(t, fit, most)
	for _, output := range b.outputs() {
		if output != "ok" {
			require.Contains(t, output, "too large together", "prepare has a bound of its own for what it changes")
		}
	}
}

func TestOutputsOfALargeBatchShareTheHistory(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 100 {
		words = append(words, fmt.Sprintf("c%d", i), "a", `{}`)
	}
	b := newBench(t, source{"a": answers(strings.Repeat("x", 500<<10))}, activities.Hooks{}, calls(words...), say("done"))
	b.SetCurrentHistorySize(20 << 20)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_parallel_calls":10}}`)
	require.NoError(t, err)
	total := 0
	for _, output := range b.outputs() {
		total += len(output)
		require.Contains(t, output, "of 512000 bytes shown")
	}
	require.Less(t, total, 50<<20-20<<20)
}

func TestARunThatCannotContinueEndsWithWhatItHas(t *testing.T) {
	t.Parallel()
	large := answers(strings.Repeat("x", 900<<10))
	var words []string
	for i := range 15 { // 13 MB: more than is even tried
		words = append(words, fmt.Sprintf("c%d", i), "a", `{}`)
	}
	b := newBench(t, source{"a": large}, activities.Hooks{}, calls(words...), calls("d", "ask", `{}`), say("never"))
	b.SetCurrentHistoryLength(46_000)
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"function","name":"ask"}]}`)
	require.NoError(t, err)
	require.NotNil(t, result.Incomplete)
	require.Equal(t, "conversation_too_large", result.Incomplete.Reason)
	require.GreaterOrEqual(t, len(result.Run.Traces), 15)
}
