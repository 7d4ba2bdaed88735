package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// seedVariable names a schedule to run again; without it the seeds are new in
// each run of the test, and printed.
const seedVariable = "ERRAND_SEED"

// schedules is how many random ones a run of the test tries.
const schedules = 40

// TestEveryScheduleSettles: whatever order answers, claims, approvals, messages
// and a cancel come in, by update and by signal, twice, too late, too early and
// in the wrong shape, a run settles every call once and keeps origin order.
func TestEveryScheduleSettles(t *testing.T) {
	t.Parallel()
	seeds := make([]uint64, schedules)
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	if text := os.Getenv(seedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		seeds = []uint64{seed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("%s=%d", seedVariable, seed), func(t *testing.T) {
			t.Parallel()
			newSchedule(t, seed).run()
		})
	}
}

// The tools of a schedule. The client owns the first three: any answer will do,
// its answer has a shape, it waits for an hour only. The worker owns the others;
// a guarded one needs approval.
var scheduleTools = []string{"ask", "typed", "hurried", "quick", "guarded", "exclusive", "unheard_of"}

const scheduleRequest = `{"model":"m","input":"go","tools":[
	{"type":"function","name":"ask"},
	{"type":"function","name":"typed","output_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}},
	{"type":"function","name":"hurried","client_timeout":"1h"},
	{"type":"platform","name":"quick"},{"type":"platform","name":"guarded"},{"type":"platform","name":"exclusive"}],
	"run":{"tool_execution":%q,"max_parallel_calls":%d}}`

// words are the outputs that clients send.
var words = []string{`"one"`, `"two"`, `{"n":1}`, `{"n":2}`, `7`}

// schedule is one random run and what is known of it.
type schedule struct {
	*bench
	random *rand.Rand
	rounds [][]string // the tools of each batch
	// accepted is the output that an update was told is the call's, by action.
	accepted map[string]string
	// sent are all outputs that were sent for an action.
	sent map[string]map[string]bool
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	t.Helper()
	s := &schedule{
		random:   rand.New(rand.NewPCG(seed, 1)),
		accepted: map[string]string{}, sent: map[string]map[string]bool{},
	}
	var script []any
	for round := range 1 + s.random.IntN(3) {
		var batch, parts []string
		for index := range 1 + s.random.IntN(6) {
			tool := scheduleTools[s.random.IntN(len(scheduleTools))]
			batch = append(batch, tool)
			parts = append(parts, fmt.Sprintf("r%dc%d", round+1, index), tool, `{}`)
		}
		s.rounds = append(s.rounds, batch)
		script = append(script, calls(parts...))
	}
	for range 10 { // messages from outside take rounds, too
		script = append(script, say("done"))
	}
	hooks := activities.Hooks{Before: []activities.BeforeToolCall{func(_ context.Context, c activities.HookCall) (activities.Decision, error) {
		if c.Call.Tool == "guarded" || (c.Call.Tool == "ask" && c.Call.Index == 1) {
			return activities.Ask("it is guarded"), nil
		}
		return activities.Allow(), nil
	}}}
	s.bench = newBench(t, source{"quick": answers("Q"), "guarded": answers("G"), "exclusive": answers("E")}, hooks, script...)
	return s
}

func (s *schedule) run() {
	for range 10 + s.random.IntN(30) {
		s.RegisterDelayedCallback(s.event, time.Duration(s.random.IntN(600))*time.Minute/10)
	}
	if s.random.IntN(5) == 0 {
		s.RegisterDelayedCallback(s.CancelWorkflow, time.Duration(s.random.IntN(300))*time.Minute)
	}
	for hour := 1; hour <= 90; hour++ {
		s.RegisterDelayedCallback(func() { s.sweep(hour > 60) }, time.Duration(hour)*time.Hour)
	}
	mode := contract.ExecuteParallel
	if s.random.IntN(4) == 0 {
		mode = contract.ExecuteSequential
	}
	result, err := s.bench.run(fmt.Sprintf(scheduleRequest, mode, 1+s.random.IntN(3)))
	if err != nil {
		require.Equal(s.t, contract.Cancelled, result.Status)
	} else {
		require.Equal(s.t, contract.Completed, result.Status)
	}
	s.closed()
	s.checkOrder()
	s.checkOutcomes(result)
}

// event is one thing that somebody does at a random time, often nonsense.
func (s *schedule) event() {
	round := 1 + s.random.IntN(len(s.rounds))
	index := s.random.IntN(len(s.rounds[round-1]) + 1)
	switch s.random.IntN(10) {
	case 0, 1, 2, 3, 4:
		s.answer(contract.ActionID(round, index))
	case 5, 6:
		owner := []string{"a", "b"}[s.random.IntN(2)]
		s.update(contract.ClaimAction, fmt.Sprintf(`{"action_id":%q,"owner":%q,"lease":"20m"}`, contract.ActionID(round, index), owner),
			func(contract.Receipt, error) {})
	case 7, 8:
		s.approve(contract.ApprovalID(round, index))
	default:
		s.SignalWorkflow(contract.SendMessage, json.RawMessage(`{"content":"hurry"}`))
	}
}

// sweep is what a client does that looks at what is open: some of it, or all.
func (s *schedule) sweep(all bool) {
	var status contract.StatusReport
	s.query(contract.QueryStatus, &status)
	for _, a := range status.Actions {
		if all || s.random.IntN(2) == 0 {
			s.answer(a.ActionID)
		}
	}
	for _, a := range status.Approvals {
		if all || s.random.IntN(2) == 0 {
			s.approve(a.ApprovalRequestID)
		}
	}
}

// answer sends an output once or twice, by update or by signal.
func (s *schedule) answer(actionID string) {
	output := words[s.random.IntN(len(words))]
	if s.sent[actionID] == nil {
		s.sent[actionID] = map[string]bool{}
	}
	s.sent[actionID][plain(output)] = true
	payload := fmt.Sprintf(`{"action_id":%q,"output":%s}`, actionID, output)
	for range 1 + s.random.IntN(2) {
		if s.random.IntN(2) == 0 {
			s.SignalWorkflow(contract.ToolOutput, json.RawMessage(payload))
			continue
		}
		s.update(contract.ToolOutput, payload, func(r contract.Receipt, err error) {
			if err != nil {
				return
			}
			earlier, known := s.accepted[actionID]
			require.True(s.t, !known || (r.Repeated && earlier == plain(output)), "two answers to %s: %s and %s", actionID, earlier, output)
			s.accepted[actionID] = plain(output)
		})
	}
}

func (s *schedule) approve(id string) {
	s.SignalWorkflow(contract.SettleApproval, json.RawMessage(fmt.Sprintf(`{"approval_request_id":%q,"approve":%t}`, id, s.random.IntN(3) > 0)))
}

// plain is an output as the conversation has it.
func plain(output string) string { return strings.Trim(output, `"`) }

// checkOrder: the outputs are those of the calls, in their order.
func (s *schedule) checkOrder() {
	var asked, got []string
	for _, it := range s.conversation() {
		head, err := item.Peek(it)
		require.NoError(s.t, err)
		switch {
		case item.IsCall(head.Type):
			asked = append(asked, head.CallID)
		case head.Type == item.TypeFunctionCallOutput:
			got = append(got, head.CallID)
		}
	}
	require.Equal(s.t, asked, got, "every call has one output, in origin order")
}

// checkOutcomes: one outcome a call, and the one that was promised.
func (s *schedule) checkOutcomes(result *contract.Result) {
	ends := map[string]int{}
	for _, e := range s.events() {
		kind, id, _ := strings.Cut(e, " ")
		if kind == string(contract.EventToolEnd) || kind == string(contract.EventToolResult) {
			ends[id]++
		}
	}
	require.Len(s.t, result.Run.Traces, len(ends))
	for id, n := range ends {
		require.Equal(s.t, 2, n, "call %s has one end and one result", id)
	}
	for i, text := range s.outputs() {
		trace, ok := find(result.Run.Traces, i, s.outputIDs())
		require.True(s.t, ok)
		action := contract.ActionID(trace.Round, trace.Index)
		if promised, known := s.accepted[action]; known {
			require.Equal(s.t, promised, text, "%s was told that its answer counts", action)
		}
		tool := s.rounds[trace.Round-1][trace.Index]
		if trace.Status != tools.Succeeded || (tool != "ask" && tool != "typed" && tool != "hurried") {
			continue
		}
		require.Contains(s.t, s.sent[action], text, "%s: nobody said so", action)
		if tool == "typed" {
			require.Contains(s.t, text, `{"n":`, "what does not fit the schema is not taken")
		}
	}
}

// outputIDs are the calls of the outputs, in order.
func (s *schedule) outputIDs() []string {
	var ids []string
	for _, it := range s.conversation() {
		if head, err := item.Peek(it); err == nil && head.Type == item.TypeFunctionCallOutput {
			ids = append(ids, head.CallID)
		}
	}
	return ids
}

// find is the trace of the i-th output.
func find(traces []tools.Trace, i int, ids []string) (tools.Trace, bool) {
	for _, trace := range traces {
		if trace.ToolCallID == ids[i] {
			return trace, true
		}
	}
	return tools.Trace{}, false
}
