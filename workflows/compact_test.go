package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools/item"
	"errand/workflows/contract"
)

// compacting answers the activity Compact with a compaction of everything up
// to the last round, and keeps what it was asked.
func (b *bench) compacting(asked *[]activities.CompactInput, more bool) {
	var acts *activities.Activities
	b.OnActivity(acts.Compact, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.CompactInput) (activities.CompactResult, error) {
			*asked = append(*asked, in)
			if !more {
				return activities.CompactResult{}, nil
			}
			c := item.Compaction{Keep: 1, UpTo: in.Length, Items: []json.RawMessage{item.LeftOutNote(in.Length - 1)}}
			return activities.CompactResult{Item: c.Raw(), Tokens: in.Tokens / 4, Dropped: in.Length - 1}, nil
		})
}

func contextExceeded() error {
	return temporal.NewNonRetryableApplicationError("too long", activities.TypeContextExceeded, nil)
}

// retrying makes the second answer of a round come after an error.
func (b *bench) thenAnswer(round int, answer activities.InferResult) {
	first := b.answers[round-1]
	b.answers[round-1] = func(in activities.InferInput) (activities.InferResult, error) {
		if in.Try > 0 {
			return answer, nil
		}
		return first(in)
	}
}

func TestAConversationThatExceedsTheContextIsMadeShorterIfAllowed(t *testing.T) {
	t.Parallel()
	var asked []activities.CompactInput
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, calls("1", "look", "{}"), contextExceeded())
	b.thenAnswer(2, say("done"))
	b.compacting(&asked, true)
	result, err := b.run(`{"model":"m","input":"go","truncation":"auto","tools":[{"type":"platform","name":"look"}]}`)
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, asked, 1)
	require.Equal(t, 3, asked[0].Length)
	require.Equal(t, 4, b.inputs[2].Length, "the compaction is an item of the conversation")
	require.Contains(t, b.events(), "compaction")
	require.Len(t, b.conversation(), 5, "nothing is lost")
	require.Contains(t, fmt.Sprint(result.Run.Warnings), "no longer sees 2 items")
}

func TestAConversationIsNotMadeShorterUnasked(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, contextExceeded())
	result, err := b.run(`{"model":"m","input":"go"}`)
	require.Error(t, err)
	require.Equal(t, contract.ErrModelRejected, result.Error.Code)
	require.Equal(t, "too long", result.Error.Message)
}

func TestARunThatCannotBeMadeShorterFailsWithTheModelsReason(t *testing.T) {
	t.Parallel()
	var asked []activities.CompactInput
	b := newBench(t, nil, activities.Hooks{}, contextExceeded())
	b.compacting(&asked, false)
	result, err := b.run(`{"model":"m","input":"go","truncation":"auto"}`)
	require.Error(t, err)
	require.Len(t, asked, 1)
	require.Equal(t, contract.ErrModelRejected, result.Error.Code)
}

func TestAConversationIsMadeShorterAtCompactAt(t *testing.T) {
	t.Parallel()
	var asked []activities.CompactInput
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{},
		spends(calls("1", "look", "{}"), 900, nil), spends(calls("2", "look", "{}"), 1000, nil), say("done"))
	b.compacting(&asked, true)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"look"}],"run":{"compact_at":1000}}`)
	require.NoError(t, err)
	require.Len(t, asked, 1, "900 tokens are not enough, and afterwards there are fewer")
	require.EqualValues(t, 500, asked[0].Aim)
	require.GreaterOrEqual(t, asked[0].Tokens, int64(1000))
}
