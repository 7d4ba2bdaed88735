package activities

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

// TestAnOutputIsKeptAsFarAsTheRunAndTheWorkerSay: a run of a worker with
// external storage may meet one without, and the other way round.
func TestAnOutputIsKeptAsFarAsTheRunAndTheWorkerSay(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct{ worker, run, size, want int }{
		{0, 0, mib, mib},
		{0, 0, mib + 1, mib},
		{0, 8 * mib, 5 * mib, mib},
		{8 * mib, 0, 5 * mib, mib},
		{8 * mib, 8 * mib, 5 * mib, 5 * mib},
		{8 * mib, 8 * mib, 8*mib + 1, 8 * mib},
		{4 * mib, 8 * mib, 5 * mib, 4 * mib},
		{8 * mib, 16 << 10, 5 * mib, 16 << 10},
	} {
		tool := oneTool{run: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: strings.Repeat("x", c.size)}, nil
		}}
		a, err := New(Parts{Model: &echo{}, Engine: &fakeRun{}, Sources: map[string]Source{"one": tool}, MaxOutput: c.worker})
		require.NoError(t, err)
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(a)
		in := input(tools.EffectRead)
		in.MaxOutput = c.run
		got, err := env.ExecuteActivity(a.Execute, in)
		require.NoError(t, err)
		var o tools.Outcome
		require.NoError(t, got.Get(&o))
		at := fmt.Sprintf("%+v", c)
		if c.size <= c.want {
			require.Len(t, o.Output, c.size, at)
			require.Zero(t, o.FullSize, at)
			continue
		}
		require.LessOrEqual(t, len(o.Output), c.want, at)
		require.Greater(t, len(o.Output), c.want-100, at)
		require.Equal(t, c.size, o.FullSize, at)
	}
}
