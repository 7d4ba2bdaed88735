package actions_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// call is a client's call at a place of a round.
func call(id string, round, index int) *actions.Call {
	return &actions.Call{
		Call: tools.Call{ID: id, Round: round, Index: index, Tool: "ask"}, Kind: item.TypeFunctionCall,
		Descriptor: tools.Descriptor{Name: "ask", Owner: tools.OwnedByClient},
	}
}

func read(t *testing.T, a contract.Answer) actions.Answer {
	t.Helper()
	answer, err := actions.ReadAnswer(a)
	require.NoError(t, err)
	return answer
}

// answered opens the action of a call and settles it with an answer.
func answered(t *testing.T, l *actions.Ledger, c *actions.Call, output string) {
	t.Helper()
	act := l.Open(c)
	act.Take(read(t, contract.Answer{ActionID: act.ID, Output: json.RawMessage(output)}))
	require.True(t, l.Settle(c, tools.Outcome{Status: tools.Succeeded}))
}

func TestWhatIsWrongWithAnAnswer(t *testing.T) {
	t.Parallel()
	output := json.RawMessage(`"x"`)
	for want, a := range map[string]contract.Answer{
		"tool_call_id: required (or action_id)":     {Output: output},
		"tool_call_id and call_id differ: give one": {ToolCallID: "a", CallID: "b", Output: output},
		"output: required: text, or any JSON":       {ToolCallID: "a"},
	} {
		_, err := actions.ReadAnswer(a)
		require.EqualError(t, err, want)
	}
}

func TestTheTextOfAnAnswer(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{`"a\nb"`: "a\nb", `{"a":1}`: `{"a":1}`, `null`: `null`, `""`: ""} {
		require.Equal(t, want, read(t, contract.Answer{CallID: "1", Output: json.RawMessage(output)}).Text)
	}
}

// TestWhichActionAnAnswerSettles: two rounds have a call "1", the first of them
// was answered with "old". The call "2" is open, "3" was answered in both rounds.
func TestWhichActionAnAnswerSettles(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	answered(t, &l, call("1", 1, 0), `"old"`)
	answered(t, &l, call("3", 1, 1), `"first"`)
	l.Open(call("1", 2, 0))
	l.Open(call("2", 2, 1))
	answered(t, &l, call("3", 2, 2), `"second"`)
	for name, row := range map[string]struct {
		answer   contract.Answer
		output   string
		action   string
		repeated bool
		refusal  string
	}{
		"by its call":                   {answer: contract.Answer{CallID: "2"}, action: "act_2_1"},
		"by its action":                 {answer: contract.Answer{ActionID: "act_2_1"}, action: "act_2_1"},
		"by both":                       {answer: contract.Answer{ActionID: "act_2_1", ToolCallID: "2"}, action: "act_2_1"},
		"both, of two calls":            {answer: contract.Answer{ActionID: "act_2_1", ToolCallID: "1"}, refusal: "must name the same call"},
		"the open one of two":           {answer: contract.Answer{CallID: "1"}, action: "act_2_0"},
		"the same as to the earlier":    {answer: contract.Answer{CallID: "1"}, output: `"old"`, refusal: `names two calls, and "act_1_0" was answered with the same: if "act_2_0" is meant`},
		"the same, with its action":     {answer: contract.Answer{ActionID: "act_2_0"}, output: `"old"`, action: "act_2_0"},
		"a repeat":                      {answer: contract.Answer{ActionID: "act_1_0"}, output: `"old"`, action: "act_1_0", repeated: true},
		"another after the first":       {answer: contract.Answer{ActionID: "act_1_0"}, refusal: `call "1" is already settled (completed): the first outcome stays`},
		"a repeat of the later of two":  {answer: contract.Answer{CallID: "3"}, output: `"second"`, action: "act_2_2", repeated: true},
		"the text, but as an error":     {answer: contract.Answer{ActionID: "act_1_0", IsError: true}, output: `"old"`, refusal: "already settled"},
		"an unknown call":               {answer: contract.Answer{CallID: "9"}, refusal: `unknown tool_call_id "9"`},
		"an unknown action":             {answer: contract.Answer{ActionID: "act_9_9"}, refusal: `unknown action_id "act_9_9"`},
		"the type of a function's call": {answer: contract.Answer{Type: item.TypeFunctionCallOutput, CallID: "2"}, action: "act_2_1"},
		"the type of another call":      {answer: contract.Answer{Type: item.TypeCustomCallOutput, CallID: "2"}, refusal: `write "function_call_output"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.output == "" {
				row.output = `"new"`
			}
			row.answer.Output = json.RawMessage(row.output)
			act, repeated, err := l.CheckAnswer(read(t, row.answer))
			if row.refusal != "" {
				require.ErrorContains(t, err, row.refusal)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.action, act.ID)
			require.Equal(t, row.repeated, repeated)
		})
	}
}

func TestAClaimHoldsUntilItsLeaseEnds(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	l.Open(call("1", 1, 0)).Claim("one", now.Add(time.Minute))
	answered(t, &l, call("2", 1, 1), `"x"`)
	for name, row := range map[string]struct {
		claim   contract.Claim
		after   time.Duration
		lease   time.Duration
		refusal string
	}{
		"renewed":              {claim: contract.Claim{ActionID: "act_1_0", Owner: "one", Lease: "30s"}, lease: 30 * time.Second},
		"by another":           {claim: contract.Claim{ActionID: "act_1_0", Owner: "two", Lease: "30s"}, refusal: `is claimed by "one" until 2026-01-02T03:05:05Z`},
		"by another, too late": {claim: contract.Claim{ActionID: "act_1_0", Owner: "two", Lease: "30s"}, after: time.Minute, lease: 30 * time.Second},
		"for very long":        {claim: contract.Claim{ActionID: "act_1_0", Owner: "one", Lease: "2000000h"}, lease: tools.MaxDuration},
		"settled":              {claim: contract.Claim{ActionID: "act_1_1", Owner: "one", Lease: "30s"}, refusal: "already settled (completed)"},
		"unknown":              {claim: contract.Claim{ActionID: "x", Owner: "one", Lease: "30s"}, refusal: `unknown action_id "x"`},
		"no action":            {claim: contract.Claim{Owner: "one", Lease: "30s"}, refusal: "action_id: required"},
		"no owner":             {claim: contract.Claim{ActionID: "act_1_0", Owner: " ", Lease: "30s"}, refusal: "owner: required"},
		"no lease":             {claim: contract.Claim{ActionID: "act_1_0", Owner: "one", Lease: "0s"}, refusal: "not a positive duration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			act, lease, err := l.CheckClaim(row.claim, now.Add(row.after))
			if row.refusal != "" {
				require.ErrorContains(t, err, row.refusal)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.claim.ActionID, act.ID)
			require.Equal(t, row.lease, lease)
		})
	}
}

func TestTheFirstAnswerToAnApprovalStays(t *testing.T) {
	t.Parallel()
	var l actions.Ledger
	l.Ask(call("1", 1, 0), "why")
	l.Decide(l.Ask(call("2", 1, 1), "why"), true)
	expired := call("3", 1, 2)
	l.Ask(expired, "why")
	l.Settle(expired, tools.Fail(tools.Expired, tools.ErrExpired, "nobody answered"))
	yes, no := true, false
	for name, row := range map[string]struct {
		id       string
		approve  *bool
		repeated bool
		refusal  string
	}{
		"open":        {id: "apr_1_0", approve: &no},
		"repeated":    {id: "apr_1_1", approve: &yes, repeated: true},
		"another":     {id: "apr_1_1", approve: &no, refusal: "already settled (approved): the first answer stays"},
		"too late":    {id: "apr_1_2", approve: &yes, refusal: "has ended without an answer"},
		"unknown":     {id: "apr_9_9", approve: &yes, refusal: `unknown approval_request_id "apr_9_9"`},
		"no id":       {approve: &yes, refusal: "approval_request_id: required"},
		"no decision": {id: "apr_1_0", refusal: "approve: required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, repeated, err := l.CheckApproval(contract.Approval{ApprovalRequestID: row.id, Approve: row.approve})
			if row.refusal != "" {
				require.ErrorContains(t, err, row.refusal)
				return
			}
			require.NoError(t, err)
			require.Equal(t, row.id, p.ID)
			require.Equal(t, row.repeated, repeated)
		})
	}
}
