package activities

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/activities/model"
	"errand/tools/item"
)

// paid fails with the usage that its server reported until it is out of
// failures, and then answers.
type paid struct{ failures int }

func (p *paid) Infer(context.Context, model.Request) (model.Answer, error) {
	usage := &item.Usage{InputTokens: 1000, OutputTokens: 100, TotalTokens: 1100, Input: &item.InputDetails{CachedTokens: 400}}
	if p.failures > 0 {
		p.failures--
		return model.Answer{}, &model.Error{Status: 200, Message: "failed half way", Usage: usage}
	}
	return model.Answer{Finish: model.FinishCompleted, Usage: usage, Items: []json.RawMessage{item.Message("assistant", "hi")}}, nil
}

func priced(string) (model.Price, bool) {
	return model.Price{Input: 10, CachedInput: 1, Output: 100}, true
}

// one is the cost of one answer of paid: 600 x 10, 400 x 1 and 100 x 100 per
// million.
const one = item.Cost(16_400_000)

func TestWhatFailedAttemptsUsedReachesTheNextAndTheRun(t *testing.T) {
	t.Parallel()
	f := newRun(1)
	a, err := New(Parts{Model: &paid{failures: 1}, Engine: f, Price: priced})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	before := &model.Spent{Usage: item.Usage{TotalTokens: 5}}
	env.SetHeartbeatDetails(Heartbeat{Spent: before})

	var told Heartbeat
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		require.NoError(t, details.Get(&told))
	})
	_, err = env.ExecuteActivity(a.Infer, f.input(0, 1))
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	var p Heartbeat
	require.NoError(t, app.Details(&p))
	require.EqualValues(t, 1105, p.Spent.Usage.TotalTokens)
	require.Equal(t, one, *p.Spent.Cost)
	require.Equal(t, p, told, "the server was told")
	require.EqualValues(t, 5, before.Usage.TotalTokens)

	env.SetHeartbeatDetails(p)
	got, err := env.ExecuteActivity(a.Infer, f.input(0, 1))
	require.NoError(t, err)
	var result InferResult
	require.NoError(t, got.Get(&result))
	require.EqualValues(t, 1105, result.Failed.Usage.TotalTokens)
	require.Equal(t, one, *result.Cost)
	require.EqualValues(t, 1100, result.Usage.TotalTokens)
}

func TestAnUnknownPriceIsNoCost(t *testing.T) {
	t.Parallel()
	a := &Activities{price: func(name string) (model.Price, bool) { return model.Price{Input: 1}, name == "known" }}
	require.True(t, a.priced("known"))
	require.False(t, a.priced("other"))
	require.Nil(t, a.spent("other", &item.Usage{InputTokens: 5}).Cost)
	require.Nil(t, a.spent("known", nil))
	require.False(t, (&Activities{}).priced("known"))
}
