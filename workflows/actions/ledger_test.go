package actions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

func TestTheFirstOutcomeSettlesTheAction(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[tools.OutcomeStatus]contract.ActionStatus{
		tools.Succeeded: contract.ActionCompleted, tools.Failed: contract.ActionFailed, tools.Denied: contract.ActionFailed,
		tools.Cancelled: contract.ActionCancelled, tools.Expired: contract.ActionExpired, tools.Unknown: contract.ActionFailed,
	} {
		var l actions.Ledger
		c := call("1", 1, 0)
		l.Ask(c, "why")
		act := l.Open(c)
		act.Claim("one", now)
		require.Equal(t, 2, l.Pending())
		require.True(t, l.Settle(c, tools.Outcome{Status: outcome}))
		require.False(t, l.Settle(c, tools.Outcome{Status: tools.Succeeded}))
		require.Equal(t, want, act.Status)
		require.Equal(t, outcome, c.Outcome.Status)
		require.True(t, act.Settled())
		require.Nil(t, act.Call())
		require.Empty(t, act.Owner)
		require.Zero(t, l.Pending())
		require.Empty(t, l.OpenActions())
		require.Empty(t, l.OpenApprovals())
	}
}

func TestOnlyCallsOfTheWorkerAreSpent(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	bounded := tools.Descriptor{Name: "a", Owner: tools.OwnedByGateway}
	bounded.MaxUses = 2
	for _, d := range []tools.Descriptor{bounded, bounded, {Name: "b", Owner: tools.OwnedByGateway}, {Name: "c", Owner: tools.OwnedByClient}} {
		l.Spend(&actions.Call{Descriptor: d})
	}
	require.Equal(t, 3, l.Spent)
	require.Equal(t, map[string]int{"a": 2}, l.Used)
}

// TestALedgerGoesOnAfterItWasWrittenDown: what is open belongs to its call
// again, and what is settled still knows the answer that came.
func TestALedgerGoesOnAfterItWasWrittenDown(t *testing.T) {
	t.Parallel()
	var before actions.Ledger
	answered(t, &before, call("1", 1, 0), `"x"`)
	running := actions.Batch{call("1", 2, 0), call("2", 2, 1)}
	before.Open(running[0])
	before.Ask(running[1], "why")
	text, err := json.Marshal(&before)
	require.NoError(t, err)
	var l actions.Ledger
	require.NoError(t, json.Unmarshal(text, &l))
	running[0].Action, running[1].Approval = nil, nil

	require.NoError(t, l.Connect(running))
	require.Len(t, l.OpenActions(), 1)
	require.Len(t, l.OpenApprovals(), 1)
	require.Same(t, running[0], l.OpenActions()[0].Call())
	require.Same(t, running[1], l.OpenApprovals()[0].Call())
	require.Same(t, l.OpenActions()[0], running[0].Action)
	require.Same(t, l.OpenApprovals()[0], running[1].Approval)
	_, repeated, err := l.CheckAnswer(read(t, contract.Answer{ActionID: "act_1_0", Output: json.RawMessage(`"x"`)}))
	require.NoError(t, err)
	require.True(t, repeated)

	require.ErrorContains(t, l.Connect(running[1:]), `action "act_2_0" is open`)
	require.ErrorContains(t, l.Connect(running[:1]), `approval "apr_2_1" is open`)
}

func TestDeadlinesOfCallsThatWait(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	gateway := call("5", 1, 4)
	gateway.Descriptor.Owner = tools.OwnedByGateway
	b := actions.Batch{call("1", 1, 0), call("2", 1, 1), call("3", 1, 2), call("4", 1, 3), gateway}
	l.Open(b[0])
	l.Ask(b[1], "why")
	l.Decide(l.Ask(b[2], "why"), true)
	l.Decide(l.Ask(gateway, "why"), true)
	waits := make([]bool, len(b))
	for i, c := range b {
		c.Expiry, waits[i] = now.Add(time.Duration(len(b)-i)*time.Second), c.Waits()
	}
	require.Equal(t, []bool{true, true, true, false, false}, waits, "handed over, asked, approved for the client, neither, approved for the worker")
	next, some := b.NextExpiry()
	require.True(t, some)
	require.Equal(t, now.Add(time.Second), next)
	require.Equal(t, b[3:], b.Due(now.Add(2*time.Second)))
	l.Settle(gateway, tools.Outcome{})
	require.Equal(t, b[3:4], b.Due(now.Add(2*time.Second)))
	next, _ = b.NextExpiry()
	require.Equal(t, now.Add(3*time.Second), next, "the call that nobody has does not count")
	_, some = actions.Batch{call("1", 1, 0)}.NextExpiry()
	require.False(t, some)
}

func TestABatchRestsWhileOthersHaveItsCalls(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	b := actions.Batch{call("1", 1, 0), call("2", 1, 1)}
	l.Open(b[0])
	require.False(t, b.Resting())
	p := l.Ask(b[1], "why")
	require.True(t, b.Resting())
	l.Decide(p, true)
	require.False(t, b.Resting(), "an approved call is about to run")
	l.Settle(b[1], tools.Outcome{})
	require.True(t, b.Resting())
	require.Equal(t, b[:1], b.Open())
	require.False(t, b.Settled())
}

func TestABatchTerminatesOnlyTogether(t *testing.T) {
	t.Parallel()
	ends, goesOn := &tools.Outcome{Terminate: true}, &tools.Outcome{}
	for want, outcomes := range map[bool][][]*tools.Outcome{
		true:  {{ends}, {ends, ends}},
		false: {{}, {goesOn}, {ends, goesOn}, {ends, nil}},
	} {
		for _, all := range outcomes {
			var b actions.Batch
			for _, o := range all {
				b = append(b, &actions.Call{Outcome: o})
			}
			require.Equal(t, want, b.Terminating())
		}
	}
}

func TestAnswersToOneActionTakeTurns(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	var turns actions.Turns
	b := actions.Batch{call("1", 1, 0), call("2", 1, 1), call("3", 1, 2)}
	one, other := l.Open(b[0]), l.Open(b[1])
	first, second, alone := turns.Take(one), turns.Take(one), turns.Take(other)
	require.True(t, turns.Has(one, first))
	require.False(t, turns.Has(one, second))
	require.True(t, turns.Has(other, alone))
	require.False(t, turns.Any(b[2:]))
	turns.Done(other)
	require.False(t, turns.Any(b[1:]))
	require.True(t, turns.Any(b))
	turns.Done(one)
	require.True(t, turns.Has(one, second))
	turns.Done(one)
	require.True(t, turns.Empty())
}
