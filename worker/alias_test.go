package worker_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/activities/model"
	"errand/tools/platform"
	"errand/worker"
)

func TestWordsOfThisPackageAreThoseOfTheOthers(t *testing.T) {
	t.Parallel()
	require.IsType(t, platform.Tool{}, worker.Tool{})
	require.IsType(t, activities.BeforeToolCall(nil), worker.BeforeToolCall(nil))
	require.IsType(t, activities.AfterToolCall(nil), worker.AfterToolCall(nil))
	require.IsType(t, model.FunctionTool{}, worker.FunctionTool{})
	require.Equal(t, []worker.Verdict{worker.Allow().Verdict, worker.Block("").Verdict, worker.Ask("").Verdict},
		[]worker.Verdict{worker.VerdictAllow, worker.VerdictBlock, worker.VerdictAsk})
	require.Equal(t, []model.FinishReason{model.FinishCompleted, model.FinishLength, model.FinishFilter},
		[]worker.FinishReason{worker.FinishCompleted, worker.FinishLength, worker.FinishFilter})
	require.Equal(t, activities.Allow(), worker.Allow())
	require.Equal(t, activities.Block("no"), worker.Block("no"))
	require.Equal(t, activities.Ask("sure?"), worker.Ask("sure?"))
	changed := json.RawMessage(`{"n":1}`)
	require.Equal(t, activities.Allow().With(changed), worker.AllowWith(changed))
}
