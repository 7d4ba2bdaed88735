package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/workflows/contract"
)

const typedTool = `{"model":"m","input":"go","run":{"client_timeout":"1h"},"tools":[{"type":"function","name":"ask",
	"output_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}}]}`

func TestUpdateThatDoesNotFitTheOutputSchemaIsRefusedByField(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`, "2", "ask", `{}`), say("done"))
	var refusals []string
	refuse := func(payload string) {
		b.update(contract.ToolOutput, payload, func(_ contract.Receipt, err error) {
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app, payload)
			require.Equal(t, contract.RefusedOutput, app.Type())
			refusals = append(refusals, app.Message())
		})
	}
	taken := 0
	take := func(payload, status string) {
		b.update(contract.ToolOutput, payload, func(r contract.Receipt, err error) {
			require.NoError(t, err, payload)
			require.Equal(t, status, r.Status)
			taken++
		})
	}
	b.RegisterDelayedCallback(func() {
		refuse(`{"tool_call_id":"1","output":{"n":"x"}}`)
		refuse(`{"tool_call_id":"1","output":"free text"}`)
	}, time.Minute)
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Len(t, status.Actions, 2, "the call stays open")
		take(`{"tool_call_id":"1","output":{"n":1}}`, "completed")
		take(`{"tool_call_id":"2","output":"free text","is_error":true}`, "failed")
	}, 2*time.Minute)
	_, err := b.run(typedTool)
	require.NoError(t, err)
	require.Equal(t, 2, taken)
	require.Len(t, refusals, 2)
	require.Contains(t, refusals[0], `the answer does not fit the output_schema of ask: output.n: `)
	require.Equal(t, []string{`{"n":1}`, "free text"}, b.outputs())
}

func TestSignalThatDoesNotFitTheOutputSchemaIsRejectedAndTheCallStaysOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	b.RegisterDelayedCallback(func() {
		for _, answer := range []string{`{"n":"x"}`, `"{\"n\":2}"`, `{"n":3}`} {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":`+answer+`}`))
		}
	}, time.Minute)
	_, err := b.run(typedTool)
	require.NoError(t, err)
	require.Equal(t, []string{`{"n":2}`}, b.outputs(), "the first one that fits wins")
	require.Equal(t, 2, strings.Count(strings.Join(b.events(), " "), "rejected"))
}

// slowCheck answers checks when gates say so, in the order of the checks.
func (b *bench) slowCheck(reasons ...string) *int {
	asked := 0
	var a *activities.Activities
	b.OnActivity(a.CheckAnswer, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.CheckAnswerInput) (activities.CheckAnswerResult, error) {
			reason := reasons[asked]
			asked++
			if reason == "broken" {
				return activities.CheckAnswerResult{}, temporal.NewNonRetryableApplicationError("no disk", "Broken", errors.New("x"))
			}
			return activities.CheckAnswerResult{Reason: reason}, nil
		})
	return &asked
}

func TestAnswersAreVettedInTheOrderThatTheyCameAndNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	asked := b.slowCheck("output.n: no", "", "not asked")
	var got []string
	send := func(output string) {
		b.update(contract.ToolOutput, `{"tool_call_id":"1","output":`+output+`}`, func(_ contract.Receipt, err error) {
			word := "taken "
			if err != nil {
				word = "refused "
			}
			got = append(got, word+output)
		})
	}
	b.RegisterDelayedCallback(func() { send("1"); send("2"); send("3") }, time.Minute)
	_, err := b.run(typedTool)
	require.NoError(t, err)
	require.Equal(t, []string{"refused 1", "taken 2", "refused 3"}, got)
	require.Equal(t, 2, *asked)
}

func TestAnswerThatCannotBeCheckedIsTaken(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("done"))
	b.slowCheck("broken")
	b.RegisterDelayedCallback(func() {
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"precious"}`))
	}, time.Minute)
	result, err := b.run(typedTool)
	require.NoError(t, err)
	require.Equal(t, []string{"precious"}, b.outputs())
	require.Contains(t, result.Run.Warnings[0], "was not held against its schema")
}

func TestAnswerBeingVettedWhenTheRunIsCancelledIsToldSo(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", `{}`), say("never"))
	var refused error
	b.RegisterDelayedCallback(func() {
		b.update(contract.ToolOutput, `{"tool_call_id":"1","output":{"n":1}}`, func(_ contract.Receipt, err error) { refused = err })
		b.CancelWorkflow()
	}, time.Minute)
	_, err := b.run(typedTool)
	require.True(t, temporal.IsCanceledError(err), "%v", err)
	if refused != nil { // the check and the cancel race; either way there is one outcome
		require.ErrorContains(t, refused, "already settled (cancelled)")
	}
	require.Len(t, b.outputs(), 1)
}
