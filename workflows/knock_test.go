package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
	"errand/workflows"
)

// platform are tools that say what they were called with.
func (p *playing) platform() source {
	s := source{}
	for _, name := range []string{"a", "b", "guarded", "exclusive", "sequential"} {
		s[name] = func(_ context.Context, c tools.Invocation) (tools.Output, error) {
			p.bench.mu.Lock()
			defer p.bench.mu.Unlock()
			p.keys = append(p.keys, c.Key)
			return tools.Output{
				Content: name + " of " + string(c.Arguments), IsError: p.dice(c.Key)%5 == 0,
				Changes: []tools.Change{{Resource: c.Key, Kind: "touched"}},
			}, nil
		}
	}
	return s
}

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

// knock lets at most one thing come from outside, and does so again a tick
// later.
func (p *playing) knock() {
	b := p.bench
	defer b.RegisterDelayedCallback(p.knock, tick)
	n := int(b.Now().Sub(curtain) / tick)
	if p.dice(n, "message")%5 == 0 {
		p.message(n)
		return
	}
	var status workflows.StatusReport
	b.query(workflows.QueryStatus, &status)
	if status.Budget != nil && p.dice(n, "budget")%3 == 0 {
		p.extend(n, status.Round)
		return
	}
	open := len(status.Actions) + len(status.Approvals)
	if open == 0 {
		return
	}
	if i := p.dice(n) % open; i < len(status.Actions) {
		p.serve(n, status.Actions[i].ActionID)
	} else {
		p.judge(n, status.Approvals[i-len(status.Actions)].ApprovalRequestID)
	}
}

func (p *playing) message(n int) {
	switch p.dice(n, "kind") % 4 {
	case 0:
		p.bench.SignalWorkflow(workflows.SendMessage, json.RawMessage(fmt.Sprintf(`{"content":"steer %d"}`, n)))
	case 1:
		p.bench.SignalWorkflow(workflows.SendMessage, json.RawMessage(fmt.Sprintf(`{"content":"then %d","deliver":"follow_up"}`, n)))
	case 2:
		p.bench.SignalWorkflow(workflows.ToolOutput, json.RawMessage(`{"action_id":"act_9_9","output":"x"}`))
	default:
		p.bench.SignalWorkflow("tool_outptu", json.RawMessage(`{}`))
	}
}

// serve claims an action, renews, answers, answers again, or does nothing.
func (p *playing) serve(n int, id string) {
	p.visits[id]++
	answer := fmt.Sprintf(`{"action_id":%q,"output":"answer %d","is_error":%t}`, id, p.dice(id), p.dice(id, "bad")%4 == 0)
	switch what := p.dice(id, p.visits[id]) % 6; {
	case what == 0:
	case what < 3 && p.visits[id] < 3:
		claim := fmt.Sprintf(`{"action_id":%q,"owner":"host","lease":"25s"}`, id)
		p.bench.update(workflows.ClaimAction, claim, func(workflows.Receipt, error) {})
	case n%2 == 0:
		p.bench.SignalWorkflow(workflows.ToolOutput, json.RawMessage(answer))
	default:
		p.bench.update(workflows.ToolOutput, answer, func(r workflows.Receipt, err error) {
			require.NoError(p.bench.t, err)
			require.Equal(p.bench.t, id, r.ID)
		})
	}
}

// extend lets the run have another round, or not.
func (p *playing) extend(n, round int) {
	payload := fmt.Sprintf(`{"max_rounds":%d,"actor":"ada"}`, round+1)
	if p.dice(n, "no")%4 == 0 {
		payload = `{"decline":true}`
	}
	if n%2 == 0 {
		p.bench.SignalWorkflow(workflows.ExtendBudget, json.RawMessage(payload))
		return
	}
	p.bench.update(workflows.ExtendBudget, payload, func(_ workflows.Receipt, err error) { require.NoError(p.bench.t, err) })
}

func (p *playing) judge(n int, id string) {
	verdict := fmt.Sprintf(`{"approval_request_id":%q,"approve":%t,"actor":"ada","reason":"because"}`, id, p.dice(id)%3 > 0)
	switch {
	case p.dice(id, n)%3 == 0:
	case n%2 == 0:
		p.bench.SignalWorkflow(workflows.SettleApproval, json.RawMessage(verdict))
	default:
		p.bench.update(workflows.SettleApproval, verdict, func(_ workflows.Receipt, err error) { require.NoError(p.bench.t, err) })
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
func (p *playing) told(t *testing.T) string {
	t.Helper()
	b := p.bench
	var events workflows.EventsPage
	var traces workflows.TracesPage
	var status workflows.StatusReport
	b.query(workflows.QueryEvents, &events)
	b.query(workflows.QueryTraces, &traces)
	b.query(workflows.QueryStatus, &status)
	for i := range events.Events {
		events.Events[i].At = events.Events[i].At.Truncate(tick)
	}
	for _, all := range [][]tools.Trace{traces.Traces, p.result.Run.Traces} {
		for i := range all {
			all[i].StartedAt, all[i].EndedAt, all[i].DurationMS = onStage(all[i].StartedAt), onStage(all[i].EndedAt), 0
		}
	}
	why := ""
	if p.err != nil {
		why = p.result.Error.Message
	}
	text, err := json.MarshalIndent([]any{
		why, p.result, b.conversation(), events, traces, status, p.keys, p.choices,
	}, "", " ")
	require.NoError(t, err)
	return string(text)
}
