package test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/workflows/contract"
)

// upserts counts the events that wrote search attributes, and all events.
func (s *stage) upserts(runID string) (upserts, events int) {
	s.t.Helper()
	pages := s.client.GetWorkflowHistory(within(s.t), runID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		e, err := pages.Next()
		require.NoError(s.t, err)
		events++
		if e.GetEventType() == enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES {
			upserts++
		}
	}
	return upserts, events
}

// listed are the ids of a list, with the calls that wait.
func (s *stage) listed(query starter.ListQuery) string {
	found := map[string]int{}
	for one, err := range s.starter.List(within(s.t), query) {
		if err != nil {
			return err.Error()
		}
		found[one.ID] = one.PendingCalls
	}
	return fmt.Sprint(found)
}

func TestWaitingRunsAreFoundBySearchAttributes(t *testing.T) {
	t.Parallel()
	server := harness.StartTemporal(t, devserver.Options{SearchAttributes: map[string]string{
		contract.AttributeStatus: "Keyword", contract.AttributePending: "Int",
	}})
	s := newStageAt(t, server.Address, harness.Match(
		harness.When("ask", harness.Rounds(
			harness.Calls(harness.ToolCall{ID: "1", Name: "ask", Arguments: `{}`}, harness.ToolCall{ID: "2", Name: "ask", Arguments: `{}`}),
			harness.Say("done"))),
		harness.Otherwise(harness.Always(harness.Hang())),
	))
	s.work("responses")
	ctx := within(t)
	found, err := s.starter.Searchable(ctx)
	require.NoError(t, err)
	require.True(t, found)

	start := func(input string, options ...starter.StartOption) *starter.Run {
		run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: input, Tools: []starter.Tool{starter.Function("ask", "", nil)}}, options...)
		require.NoError(t, err)
		return run
	}
	asks := start("ask", starter.WithRunID("asks"), starter.WithSearchAttributes())
	plain := start("ask", starter.WithRunID("plain"))
	start("think", starter.WithRunID("thinks"), starter.WithSearchAttributes())
	pendingAction(t, asks)
	pendingAction(t, plain)
	eventually := func(want string, query starter.ListQuery) {
		t.Helper()
		harness.Eventually(t, patience, func() (bool, string) {
			got := s.listed(query)
			return got == want, got
		}, want)
	}
	eventually("map[asks:2 plain:0]", starter.ListQuery{Pending: true})

	for i := range 2 {
		for _, run := range []*starter.Run{asks, plain} {
			_, err := run.Answer(ctx, starter.Output(contract.ActionID(1, i), "x"))
			require.NoError(t, err)
		}
	}
	for _, run := range []*starter.Run{asks, plain} {
		result, err := run.Result(ctx)
		require.NoError(t, err)
		require.Equal(t, "done", result.OutputText)
	}
	eventually("map[]", starter.ListQuery{Pending: true})

	with, all := s.upserts("asks")
	without, bare := s.upserts("plain")
	require.Equal(t, 5, with, "accepted, handed over, two answers, the end")
	require.Zero(t, without)
	t.Logf("a run with two client calls: %d events with search attributes, %d without", all, bare)
}

func TestSearchAttributesThatTheNamespaceLacksAreAnErrorOfStart(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(harness.Say("hi")))
	ctx := within(t)
	found, err := s.starter.Searchable(ctx)
	require.NoError(t, err)
	require.False(t, found)
	_, err = s.starter.Start(ctx, starter.Request{Model: "m", Input: "x"}, starter.WithSearchAttributes())
	require.ErrorContains(t, err, "search attribute Errand") // the server names one of the two
	_, err = s.starter.Start(ctx, starter.Request{Model: "m", Input: "x"})
	require.NoError(t, err)
}
