package workflows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/workflows"
	"errand/workflows/contract"
)

// written notes what a run writes into its search attributes, in turn.
func (b *bench) written() *[]map[string]any {
	var all []map[string]any
	b.OnUpsertTypedSearchAttributes(mock.MatchedBy(func(sa temporal.SearchAttributes) bool {
		one := map[string]any{}
		if status, ok := sa.GetKeyword(workflows.StatusKey); ok {
			one["status"] = status
		}
		if pending, ok := sa.GetInt64(workflows.PendingKey); ok {
			one["pending"] = int(pending)
		}
		all = append(all, one)
		return true
	})).Return(nil)
	return &all
}

func (b *bench) twoAnswers() {
	for i, id := range []string{"1", "2"} {
		b.RegisterDelayedCallback(func() {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"`+id+`","output":"x"}`))
		}, time.Duration(i+1)*time.Minute)
	}
}

func TestSearchAttributesFollowTheRunThatStartedWithThem(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
	require.NoError(t, b.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(
		workflows.StatusKey.ValueSet("queued"), workflows.PendingKey.ValueSet(0))))
	written := b.written()
	b.twoAnswers()
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, []map[string]any{
		{"status": "in_progress"},
		{"status": "pending_action", "pending": 2},
		{"pending": 1},
		{"status": "in_progress", "pending": 0},
		{"status": "completed"},
	}, *written)
}

func TestOneOfTheSearchAttributesIsEnough(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
	require.NoError(t, b.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(workflows.StatusKey.ValueSet("queued"))))
	written := b.written()
	b.twoAnswers()
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, []map[string]any{
		{"status": "in_progress"}, {"status": "pending_action"}, {"status": "in_progress"}, {"status": "completed"},
	}, *written)
}

func TestRunWithoutSearchAttributesWritesNone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
	written := b.written()
	b.twoAnswers()
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Empty(t, *written)
}
