package workflows_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

func asking() activities.Hooks {
	return activities.Hooks{Before: []activities.BeforeToolCall{func(context.Context, activities.HookCall) (activities.Decision, error) {
		return activities.Ask("sure?"), nil
	}}}
}

// The first answer to an approval stays, also when the call has ended since.
func TestLateAnswersToAnApprovalAreTakenForWhatTheyAre(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, asking(), calls("1", "a", `{}`), calls("2", "a", `{}`), say("done"))
	heard := 0
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		b.update(contract.SettleApproval, `{"approval_request_id":"apr_1_0","approve":true}`, func(r contract.Receipt, err error) {
			require.NoError(t, err)
			require.Equal(t, contract.Receipt{ID: "apr_1_0", Status: "approved", Repeated: true}, r)
			heard++
		})
		b.update(contract.SettleApproval, `{"approval_request_id":"apr_1_0","approve":false}`, func(_ contract.Receipt, err error) {
			require.ErrorContains(t, err, "already settled (approved)")
			heard++
		})
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_2_0","approve":false}`))
	}, 2*time.Minute)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Equal(t, 2, heard)
	require.Equal(t, "A", b.outputs()[0])
	require.Contains(t, b.outputs()[1], "Blocked")
}

func TestApprovedCallsCountAgainstTheBudget(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, asking(), calls("1", "a", `{}`), calls("2", "a", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.SettleApproval, json.RawMessage(`{"approval_request_id":"apr_1_0","approve":true}`))
	}, time.Minute)
	_, err := b.run(`{"model":"m","input":"go","max_tool_calls":1,"tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Equal(t, "A", b.outputs()[0])
	require.Contains(t, b.outputs()[1], "BudgetExceeded")
}

func TestToolsThatCannotBeLookedUpFailTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, say("never"))
	var acts *activities.Activities
	b.OnActivity(acts.Discover, mock.Anything, mock.Anything).Return(activities.DiscoverResult{},
		temporal.NewNonRetryableApplicationError("the disk is gone", "odd", nil))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, contract.ErrDiscoveryFailed, app.Type())
	require.Equal(t, "the disk is gone", result.Error.Message)
	require.Empty(t, b.inputs)
}

func TestMessagesAreBoundedAsTheyTravel(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("first"), say("second"))
	heard := 0
	b.RegisterDelayedCallback(func() {
		for text, fits := range map[string]bool{
			strings.Repeat("a", contract.MaxAnswerSize-2):   true,
			strings.Repeat("a", contract.MaxAnswerSize):     false,
			strings.Repeat("<", contract.MaxAnswerSize/6+1): false,
		} {
			b.update(contract.SendMessage, `{"content":"`+text+`"}`, func(_ contract.Receipt, err error) {
				heard++
				if fits {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, "at most 1048576 are taken")
			})
		}
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_1_0","output":"x"}`))
	}, time.Minute)
	_, err := b.run(clientRequest(""))
	require.NoError(t, err)
	require.Equal(t, 3, heard)
}

func TestTracesAreQueriedInPages(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, calls("1", "a", `{}`, "2", "a", `{}`, "3", "nope", `{}`), say("done"))
	result, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	var got []tools.Trace
	for done := false; !done; {
		var page contract.TracesPage
		b.query(contract.QueryTraces, &page, contract.PageQuery{From: len(got), MaxBytes: 1})
		require.Len(t, page.Traces, 1, "at least one")
		got = append(got, page.Traces...)
		require.Equal(t, len(got), page.Next)
		done = page.Done
	}
	require.Equal(t, result.Run.Traces, got)
	require.Len(t, got, 3)
}
