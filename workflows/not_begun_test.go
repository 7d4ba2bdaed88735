package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

// notBegun makes the first n tries of every call end before they begin.
func (b *bench) notBegun(n int) *int {
	tries := new(int)
	var acts *activities.Activities
	b.OnActivity(acts.Execute, mock.Anything, mock.Anything).Return(func(context.Context, activities.ExecuteInput) (tools.Outcome, error) {
		if *tries++; *tries <= n {
			return tools.Outcome{}, temporal.NewApplicationError("no mark", activities.TypeNotBegun)
		}
		return tools.Outcome{Status: tools.Succeeded, Output: "A"}, nil
	})
	return tries
}

const oneTry = `{"model":"m","input":"go","tools":[{"type":"platform","name":"once"}]}`

func TestCallThatNeverBeganIsTriedAgainAfterAPause(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"once": answers("A")}, activities.Hooks{}, calls("1", "once", `{}`), say("done"))
	tries := b.notBegun(3)
	before := b.Now()
	_, err := b.run(oneTry)
	require.NoError(t, err)
	require.Equal(t, []string{"A"}, b.outputs())
	require.Equal(t, 4, *tries)
	require.GreaterOrEqual(t, b.Now().Sub(before), (1+2+4)*time.Second)
}

func TestCallThatNeverBeginsFailsInTheEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"once": answers("A")}, activities.Hooks{}, calls("1", "once", `{}`), say("done"))
	tries := b.notBegun(1000)
	result, err := b.run(oneTry)
	require.NoError(t, err)
	require.Equal(t, 10, *tries)
	require.Contains(t, b.outputs()[0], "10 workers were lost before it began")
	require.Equal(t, tools.Failed, result.Run.Traces[0].Status)
}

func TestCancelEndsThePauseBeforeTheNextTry(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"once": answers("A")}, activities.Hooks{}, calls("1", "once", `{}`), say("never"))
	tries := b.notBegun(1000)
	b.RegisterDelayedCallback(b.CancelWorkflow, 40*time.Second)
	result, err := b.run(oneTry)
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Contains(t, b.outputs()[0], "Cancelled")
	require.Equal(t, 6, *tries)
}
