package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
)

func (*playing) hooks() activities.Hooks {
	return activities.Hooks{Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
		if c.Call.Tool == "guarded" || (c.Call.Tool == "ask" && c.Call.Index == 2) {
			return activities.Ask("it is guarded"), nil
		}
		return activities.Allow(), nil
	}}}
}

// dice is a number that depends on the scene and the words alone.
func (p *playing) dice(words ...any) int {
	h := fnv.New32a()
	h.Write(fmt.Append([]byte{}, append([]any{p.seed}, words...)...))
	return int(h.Sum32() >> 1)
}

// arrive lets at most one thing come from outside, and does so again a tick
// later.
func (p *playing) arrive() {
	b := p.bench
	defer b.RegisterDelayedCallback(p.arrive, tick)
	b.RegisterDelayedCallback(p.lengthen, time.Second) // what comes now is taken first, as it would be by a server
	n := int(b.Now().Sub(curtain) / tick)
	switch {
	case p.dice(n, "message")%5 == 0:
		p.message(n)
		return
	case p.dice(n, "stop")%50 == 0:
		p.stop(n)
		return
	case p.dice(n, "cancel")%100 == 0:
		b.CancelWorkflow()
		return
	case p.dice(n, "session")%5 == 0 && p.giveUp():
		return
	}
	var status contract.StatusReport
	b.query(contract.QueryStatus, &status)
	if status.Budget != nil && p.dice(n, "budget")%3 == 0 {
		p.extend(n, status.Round, status.Budget.Reason)
		return
	}
	open := len(status.Actions) + len(status.Approvals)
	if open == 0 {
		return
	}
	if i := p.dice(n) % open; i < len(status.Actions) {
		p.serve(n, status.Actions[i].Manifest)
	} else {
		p.judge(n, status.Approvals[i-len(status.Actions)].ApprovalRequestID)
	}
}

func (p *playing) message(n int) {
	switch p.dice(n, "kind") % 4 {
	case 0:
		p.sent++
		p.bench.SignalWorkflow(contract.SendMessage, json.RawMessage(fmt.Sprintf(`{"content":"%ssteer %d"}`, word, n)))
	case 1:
		p.sent++
		p.bench.SignalWorkflow(contract.SendMessage, json.RawMessage(fmt.Sprintf(`{"content":"%sthen %d","deliver":"follow_up"}`, word, n)))
	case 2:
		p.bench.SignalWorkflow(contract.ToolOutput, json.RawMessage(`{"action_id":"act_9_9","output":"x"}`))
	default:
		p.bench.SignalWorkflow("tool_outptu", json.RawMessage(`{}`))
	}
}

// serve claims an action, renews, answers, answers again, or does nothing.
// An answer to typed does not fit its schema the first time.
func (p *playing) serve(n int, m contract.Manifest) {
	id := m.ActionID
	p.visits[id]++
	switch what := p.dice(id, p.visits[id]) % 6; {
	case what == 0:
	case what < 3 && p.visits[id] < 3:
		claim := fmt.Sprintf(`{"action_id":%q,"owner":"host","lease":"25s"}`, id)
		p.bench.update(contract.ClaimAction, claim, func(contract.Receipt, error) {})
	default:
		p.answer(n, m)
	}
}

func (p *playing) answer(n int, m contract.Manifest) {
	id, fits := m.ActionID, true
	answer := fmt.Sprintf(`{"action_id":%q,"output":"answer %d","is_error":%t}`, id, p.dice(id), p.dice(id, "bad")%4 == 0)
	if m.Tool == "typed" {
		p.answered[id]++
		fits = p.answered[id] > 1
		answer = fmt.Sprintf(`{"action_id":%q,"output":{"n":%d}}`, id, p.dice(id))
		if !fits {
			answer = fmt.Sprintf(`{"action_id":%q,"output":{"n":"many"}}`, id)
		}
	}
	if n%2 == 0 {
		p.bench.SignalWorkflow(contract.ToolOutput, json.RawMessage(answer))
		return
	}
	p.bench.update(contract.ToolOutput, answer, func(r contract.Receipt, err error) {
		if !fits {
			require.ErrorContains(p.t, err, "output_schema")
			return
		}
		require.NoError(p.t, err)
		require.Equal(p.t, id, r.ID)
	})
}

// stop stops the run in one of the three ways.
func (p *playing) stop(n int) {
	mode := []contract.StopMode{contract.StopNow, contract.StopAfterTools, contract.StopAfterRound, contract.StopAfterRound}[p.dice(n, "mode")%4]
	payload := fmt.Sprintf(`{"mode":%q,"actor":"eva","reason":"stop %d"}`, mode, n)
	if n%2 == 0 {
		p.bench.SignalWorkflow(contract.StopRun, json.RawMessage(payload))
		return
	}
	p.bench.update(contract.StopRun, payload, func(_ contract.Receipt, err error) { require.NoError(p.t, err) })
}

// extend lets the run have some more, or not.
func (p *playing) extend(n, round int, reason string) {
	payload := map[string]string{
		contract.ReasonMaxRounds: fmt.Sprintf(`{"max_rounds":%d,"actor":"ada"}`, round+1),
		contract.ReasonMaxTokens: fmt.Sprintf(`{"max_tokens":%d}`, 300*(round+1)),
		contract.ReasonMaxCost:   fmt.Sprintf(`{"max_cost":%d}`, round+1),
	}[reason]
	if p.dice(n, "no")%4 == 0 {
		payload = `{"decline":true}`
	}
	if n%2 == 0 {
		p.bench.SignalWorkflow(contract.ExtendBudget, json.RawMessage(payload))
		return
	}
	p.bench.update(contract.ExtendBudget, payload, func(_ contract.Receipt, err error) { require.NoError(p.t, err) })
}

func (p *playing) judge(n int, id string) {
	verdict := fmt.Sprintf(`{"approval_request_id":%q,"approve":%t,"actor":"ada","reason":"because"}`, id, p.dice(id)%3 > 0)
	switch {
	case p.dice(id, n)%3 == 0:
	case n%2 == 0:
		p.bench.SignalWorkflow(contract.SettleApproval, json.RawMessage(verdict))
	default:
		p.bench.update(contract.SettleApproval, verdict, func(_ contract.Receipt, err error) { require.NoError(p.t, err) })
	}
}

// onStage is a time of the scene; tools that ran have those of a real clock.
func onStage(at time.Time) time.Time {
	if at.After(curtain.Add(24 * time.Hour)) {
		return time.Time{}
	}
	return at.Truncate(tick)
}

// told is all that a run says of itself, as text. Times are cut to ticks: a
// run that continues after an update waits a millisecond.
func (p *playing) told() string {
	p.t.Helper()
	b := p.bench
	var events contract.EventsPage
	var traces contract.TracesPage
	var status contract.StatusReport
	b.query(contract.QueryEvents, &events)
	b.query(contract.QueryTraces, &traces)
	b.query(contract.QueryStatus, &status)
	for i := range events.Events {
		events.Events[i].At = events.Events[i].At.Truncate(tick)
	}
	for _, stop := range []*contract.StopReport{status.Stop, p.result.Run.Stop} {
		if stop != nil {
			stop.At = stop.At.Truncate(tick)
		}
	}
	for _, all := range [][]tools.Trace{traces.Traces, p.result.Run.Traces} {
		for i := range all {
			all[i].StartedAt, all[i].EndedAt, all[i].DurationMS = onStage(all[i].StartedAt), onStage(all[i].EndedAt), 0
		}
	}
	why := ""
	if p.result.Error != nil {
		why = p.result.Error.Message
	}
	text, err := json.MarshalIndent([]any{
		why, p.result, b.conversation(), events, traces, status, p.keys, p.choices, p.compactions,
	}, "", " ")
	require.NoError(p.t, err)
	return string(text)
}
