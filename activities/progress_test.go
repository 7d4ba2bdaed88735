package activities

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/contract"
)

func TestProgressSendsTheLatestAtMostOnceASecond(t *testing.T) {
	t.Parallel()
	f := newRun(0)
	in := input(tools.EffectRead)
	in.Progress = true
	var late func(string)
	_, err := executeOnce(t, oneTool{run: func(_ context.Context, c tools.Invocation) (tools.Output, error) {
		late = c.Progress
		for i := range 1000 {
			c.Progress(fmt.Sprint("line ", i))
		}
		require.Equal(t, []contract.ProgressUpdate{{Round: 2, Index: 1, Text: "line 999"}}, <-f.signals)
		c.Progress("not sent: the call ends first")
		return tools.Output{}, nil
	}}, f, in)
	require.NoError(t, err)
	late("after the end")
	require.Empty(t, f.signals)
}

func TestProgressCostsNothingUnlessWanted(t *testing.T) {
	t.Parallel()
	f := newRun(0)
	_, err := executeOnce(t, oneTool{run: func(_ context.Context, c tools.Invocation) (tools.Output, error) {
		c.Progress("nobody listens")
		return tools.Output{}, nil
	}}, f, input(tools.EffectRead))
	require.NoError(t, err)
	require.Empty(t, f.signals)
}
