package worker_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools/platform"
	"errand/worker"
)

func TestWordsOfThisPackageAreThoseOfTheOthers(t *testing.T) {
	t.Parallel()
	require.IsType(t, platform.Tool{}, worker.Tool{})
	require.IsType(t, activities.BeforeToolCall(nil), worker.BeforeToolCall(nil))
	require.IsType(t, activities.AfterToolCall(nil), worker.AfterToolCall(nil))
	require.IsType(t, activities.FunctionTool{}, worker.FunctionTool{})
	require.Equal(t, []worker.Verdict{worker.Allow().Verdict, worker.Block("").Verdict, worker.Ask("").Verdict},
		[]worker.Verdict{worker.VerdictAllow, worker.VerdictBlock, worker.VerdictAsk})
	require.Equal(t, []activities.Stop{activities.StopCompleted, activities.StopLength, activities.StopFilter},
		[]worker.Stop{worker.StopCompleted, worker.StopLength, worker.StopFilter})
	require.Equal(t, activities.Allow(), worker.Allow())
	require.Equal(t, activities.Block("no"), worker.Block("no"))
	require.Equal(t, activities.Ask("sure?"), worker.Ask("sure?"))
	changed := json.RawMessage(`{"n":1}`)
	require.Equal(t, activities.Allow().With(changed), worker.AllowWith(changed))
}
