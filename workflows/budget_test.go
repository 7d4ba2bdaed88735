package workflows_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

// spends is an answer that has used tokens and, if cost is not nil, money.
func spends(r activities.InferResult, tokens int64, cost *item.Cost) activities.InferResult {
	r.Usage = &item.Usage{InputTokens: tokens, TotalTokens: tokens}
	r.Cost = cost
	return r
}

func cost(c item.Cost) *item.Cost { return &c }

const budgeted = `{"model":"m","input":"go","tools":[{"type":"platform","name":"look"}],"run":{%s}}`

func TestAUsedUpBudgetEndsTheRunAfterItsCalls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		options, reason string
		answers         []any
		status          contract.Status
	}{
		"tokens": {`"max_tokens":100`, "max_tokens", []any{spends(calls("1", "look", "{}"), 100, nil), say("no")}, contract.Incomplete},
		"tokens of failed attempts": {`"max_tokens":100`, "max_tokens", []any{func() activities.InferResult {
			r := spends(calls("1", "look", "{}"), 10, nil)
			r.Failed = &model.Spent{Usage: item.Usage{TotalTokens: 90}}
			return r
		}(), say("no")}, contract.Incomplete},
		"tokens left":             {`"max_tokens":101`, "", []any{spends(calls("1", "look", "{}"), 100, nil), say("yes")}, contract.Completed},
		"a final answer is whole": {`"max_tokens":10`, "", []any{spends(say("yes"), 100, nil)}, contract.Completed},
		"rounds":                  {`"max_rounds":1`, "max_rounds", []any{calls("1", "look", "{}"), say("no")}, contract.Incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, row.answers...)
			result, err := b.run(fmt.Sprintf(budgeted, row.options))
			require.NoError(t, err)
			require.Equal(t, row.status, result.Status)
			require.Equal(t, row.reason != "", result.Incomplete != nil)
			if row.reason != "" {
				require.Equal(t, row.reason, result.Incomplete.Reason)
				require.Equal(t, []string{"seen"}, b.outputs())
			}
		})
	}
}

func TestCostIsSummedWithThatOfFailedAttempts(t *testing.T) {
	t.Parallel()
	first := spends(calls("1", "look", "{}"), 10, cost(2_000_000))
	first.Failed = &model.Spent{Usage: item.Usage{TotalTokens: 5}, Cost: cost(1_000_000)}
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, first, spends(say("done"), 10, cost(500_000)))
	result, err := b.run(fmt.Sprintf(budgeted, ""))
	require.NoError(t, err)
	require.EqualValues(t, 25, result.Usage.TotalTokens)
	text, err := json.Marshal(result.Run)
	require.NoError(t, err)
	require.Contains(t, string(text), `"cost":0.0035`)
}

func TestARunAsksForALargerBudgetAndGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{},
		spends(calls("1", "look", "{}"), 100, nil), spends(calls("2", "look", "{}"), 100, nil), say("done"))
	refused := map[string]string{}
	refuse := func(payload string) {
		b.update(contract.ExtendBudget, payload, func(_ contract.Receipt, err error) {
			require.Error(t, err, payload)
			refused[payload] = err.Error()
		})
	}
	var receipts []contract.Receipt
	extend := func(payload string) {
		b.update(contract.ExtendBudget, payload, func(r contract.Receipt, err error) {
			require.NoError(t, err, payload)
			receipts = append(receipts, r)
		})
	}
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		require.Equal(t, contract.PendingAction, status.Status)
		require.Equal(t, &contract.OpenBudget{Reason: "max_tokens"}, status.Budget)
		refuse(`{}`)
		refuse(`{"max_tokens":99}`)
		refuse(`{"max_cost":3}`)
		refuse(`{"decline":true,"max_tokens":500}`)
		refuse(`{"max_tokens":"many"}`)
		extend(`{"max_tokens":150,"actor":"ada","reason":"worth it"}`)
		extend(`{"max_tokens":150}`)
	}, time.Hour)
	b.RegisterDelayedCallback(func() { extend(`{"max_tokens":1000}`) }, 2*time.Hour)
	result, err := b.run(fmt.Sprintf(budgeted, `"max_tokens":100,"on_budget":"ask"`))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, 3, result.Run.Rounds)
	require.Equal(t, map[string]string{
		`{}`:                                "max_rounds, max_tokens or max_cost: one is required, or decline",
		`{"max_tokens":99}`:                 "max_tokens: must not be less than the limit of the run, 100",
		`{"max_cost":3}`:                    "max_cost: the run has no such limit",
		`{"decline":true,"max_tokens":500}`: "decline: leave it out, or leave the limits out",
		`{"max_tokens":"many"}`:             "max_tokens: must not be string",
	}, refused)
	require.Equal(t, []contract.Receipt{
		{ID: "extend", Status: "extended"}, {ID: "extend", Status: "extended", Repeated: true}, {ID: "extend", Status: "extended"},
	}, receipts)
	require.Contains(t, b.events(), "budget_request")
}

func TestABudgetCanBeExtendedBeforeItIsUsedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, activities.Hooks{}, calls("1", "ask", "{}"), say("done"))
	b.RegisterDelayedCallback(func() {
		b.update(contract.ExtendBudget, `{"decline":true}`, func(_ contract.Receipt, err error) {
			require.EqualError(t, err, "decline: the run does not ask for a larger budget")
		})
		b.update(contract.ExtendBudget, `{"max_rounds":2}`, func(r contract.Receipt, err error) {
			require.NoError(t, err)
			require.Equal(t, contract.Receipt{ID: "extend", Status: "extended"}, r)
		})
		b.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"tool_call_id":"1","output":"x"}`))
	}, time.Minute)
	result, err := b.run(clientRequest(`,"run":{"max_rounds":1}`))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
}

func TestADeclinedOrUnansweredBudgetEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		options   string
		meanwhile func(b *bench)
		status    contract.Status
	}{
		"declined": {"", func(b *bench) {
			b.update(contract.ExtendBudget, `{"decline":true}`, func(r contract.Receipt, err error) {
				require.NoError(t, err)
				require.Equal(t, "declined", r.Status)
			})
		}, contract.Incomplete},
		"by signal": {"", func(b *bench) {
			b.SignalWorkflow(contract.ExtendBudget, json.RawMessage(`{"decline":true}`))
		}, contract.Incomplete},
		"expired":   {`,"client_timeout":"2h"`, func(*bench) {}, contract.Incomplete},
		"cancelled": {"", func(b *bench) { b.CancelWorkflow() }, contract.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, calls("1", "look", "{}"), say("no"))
			b.RegisterDelayedCallback(func() { row.meanwhile(b) }, time.Hour)
			result, _ := b.run(fmt.Sprintf(budgeted, `"max_rounds":1,"on_budget":"ask"`+row.options))
			require.Equal(t, row.status, result.Status)
			require.Equal(t, 1, result.Run.Rounds)
		})
	}
}

func TestAMaxCostNeedsAPrice(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"look": answers("seen")}, activities.Hooks{}, say("no"))
	result, err := b.run(fmt.Sprintf(budgeted, `"max_cost":1`))
	require.Error(t, err)
	require.Equal(t, "run.max_cost", result.Error.Faults[0].Path)
	for _, bad := range []string{`"max_cost":-1`, `"max_cost":"1"`, `"max_tokens":-1`, `"max_tokens":1.5`, `"on_budget":"beg"`} {
		_, faults := contract.DecodeRequest([]byte(fmt.Sprintf(budgeted, bad)))
		require.Len(t, faults, 1, bad)
	}
}
