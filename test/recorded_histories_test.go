package test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

// shape is a run of a certain course; its history is worth keeping.
type shape struct {
	request string
	script  harness.Script
	// drive does the outside's part once a client or a person is waited for.
	drive func(t *testing.T, s *stage, run *starter.Run)
	want  contract.Status
}

const shapeTools = `"tools":[{"type":"function","name":"ask"},{"type":"platform","name":"weather"},{"type":"platform","name":"guarded"}]`

func shapeCalls(names ...string) harness.Answer {
	var calls []harness.ToolCall
	for _, name := range names {
		calls = append(calls, harness.ToolCall{Name: name, Arguments: `{}`})
	}
	return harness.Calls(calls...)
}

func answerCall(t *testing.T, _ *stage, run *starter.Run) {
	t.Helper()
	pendingAction(t, run)
	_, err := run.Answer(within(t), contract.Answer{ActionID: "act_1_0", Output: json.RawMessage(`"yes"`)})
	require.NoError(t, err)
}

func signalCall(t *testing.T, s *stage, run *starter.Run) {
	t.Helper()
	pendingAction(t, run)
	ctx := within(t)
	for _, payload := range []string{`17`, `{"tool_call_id":"nobody","output":1}`, `{"action_id":"act_1_0","output":{"n":1}}`} {
		require.NoError(t, s.client.SignalWorkflow(ctx, run.ID(), "", contract.ToolOutput, json.RawMessage(payload)))
	}
}

func cancelCall(t *testing.T, _ *stage, run *starter.Run) {
	t.Helper()
	pendingAction(t, run)
	require.NoError(t, run.Cancel(within(t)))
}

func claimThenAnswer(t *testing.T, s *stage, run *starter.Run) {
	t.Helper()
	pendingAction(t, run)
	ctx := within(t)
	_, err := run.Claim(ctx, contract.Claim{ActionID: "act_1_0", Owner: "host", Lease: "30s"})
	require.NoError(t, err)
	_, err = run.Claim(ctx, contract.Claim{ActionID: "act_1_0", Owner: "other", Lease: "30s"})
	require.Error(t, err)
	_, err = run.Send(ctx, starter.Text("and hurry"))
	require.NoError(t, err)
	answerCall(t, s, run)
}

func decideApprovals(t *testing.T, s *stage, run *starter.Run) {
	t.Helper()
	ctx := within(t)
	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(ctx)
		if err != nil {
			return false, err.Error()
		}
		return len(status.Approvals) == 2, string(status.Status)
	}, "two open approvals")
	_, err := run.Approve(ctx, starter.Approved("apr_1_0", "ada"))
	require.NoError(t, err)
	yes := false
	require.NoError(t, s.client.SignalWorkflow(ctx, run.ID(), "", contract.SettleApproval,
		contract.Approval{ApprovalRequestID: "apr_1_1", Approve: &yes, Reason: "no", Actor: "eve"}))
}

const shapeBox = `"tools":[{"type":"function","name":"ask"},{"type":"platform","name":"work"}]`

func answerOpenBox(t *testing.T, _ *stage, run *starter.Run) {
	t.Helper()
	pendingAction(t, run)
	_, err := run.Answer(within(t), contract.Answer{ActionID: "act_1_2", Output: json.RawMessage(`"yes"`)})
	require.NoError(t, err)
}

// stopCall stops a run that waits for its client and has something open.
func stopCall(t *testing.T, _ *stage, run *starter.Run) {
	t.Helper()
	ctx := within(t)
	harness.Eventually(t, patience, func() (bool, string) {
		traces := 0
		for _, err := range run.Traces(ctx) {
			if err != nil {
				return false, err.Error()
			}
			traces++
		}
		return traces == 1, "the call in the box has not ended"
	}, "only the client is waited for")
	_, err := run.Stop(ctx, contract.Stop{Mode: contract.StopAfterTools, Actor: "ada", Reason: "enough"})
	require.NoError(t, err)
}

func shapes() map[string]shape {
	many := strings.Fields(strings.Repeat("weather ", 40))
	return map[string]shape{
		"answer":      {request: ``, script: harness.Always(harness.Say("hi")), want: contract.Completed},
		"mixed":       {request: shapeTools, script: harness.Rounds(shapeCalls("ask", "weather", "nope"), shapeCalls("weather"), harness.Say("hi")), drive: answerCall, want: contract.Completed},
		"signals":     {request: shapeTools, script: harness.Rounds(shapeCalls("ask"), harness.Say("hi")), drive: signalCall, want: contract.Completed},
		"claims":      {request: shapeTools, script: harness.Rounds(shapeCalls("ask"), harness.Say("hi")), drive: claimThenAnswer, want: contract.Completed},
		"sequential":  {request: shapeTools + `,"run":{"tool_execution":"sequential"}`, script: harness.Rounds(shapeCalls("ask", "weather", "weather"), harness.Say("hi")), drive: answerCall, want: contract.Completed},
		"approvals":   {request: shapeTools, script: harness.Rounds(shapeCalls("guarded", "guarded", "weather"), harness.Say("hi")), drive: decideApprovals, want: contract.Completed},
		"expired":     {request: shapeTools + `,"run":{"client_timeout":"50ms"}`, script: harness.Rounds(shapeCalls("ask"), harness.Say("hi")), want: contract.Completed},
		"in time":     {request: shapeTools + `,"run":{"client_timeout":"1h"}`, script: harness.Rounds(shapeCalls("ask"), harness.Say("hi")), drive: answerCall, want: contract.Completed},
		"cancelled":   {request: shapeTools, script: harness.Rounds(shapeCalls("ask", "weather"), harness.Say("hi")), drive: cancelCall, want: contract.Cancelled},
		"many calls":  {request: shapeTools + `,"run":{"max_parallel_calls":8}`, script: harness.Rounds(shapeCalls(many...), harness.Say("hi")), want: contract.Completed},
		"max rounds":  {request: shapeTools + `,"run":{"max_rounds":2}`, script: harness.Always(shapeCalls("weather")), want: contract.Incomplete},
		"truncated":   {request: shapeTools, script: harness.Rounds(shapeCalls("weather").Truncated(), harness.Say("hi")), want: contract.Completed},
		"budget":      {request: shapeTools + `,"max_tool_calls":1`, script: harness.Rounds(shapeCalls("weather", "weather"), harness.Say("hi")), want: contract.Completed},
		"bad request": {request: `"tools":[{"type":"function"}]`, script: harness.Always(harness.Say("hi")), want: contract.Failed},
		"rejected":    {request: ``, script: harness.Always(harness.Failure(401, "no_key", "who are you")), want: contract.Failed},
		"every type": {
			request: `"tools":[{"type":"custom","name":"ask"},{"type":"namespace","name":"crm","tools":[{"name":"lookup"}]},{"type":"mcp","server_label":"db"},{"type":"file_search","vector_store_ids":["v"]},{"type":"platform","name":"weather","max_uses":1}]`,
			script:  harness.Rounds(shapeCalls("ask", "weather", "weather", "file_search"), harness.Say("hi")), drive: answerCall, want: contract.Completed,
		},
		"activation":  {request: shapeBox, script: harness.Rounds(shapeCalls("work", "work", "ask"), shapeCalls("work"), harness.Say("hi")), drive: answerOpenBox, want: contract.Completed},
		"stopped":     {request: shapeBox, script: harness.Rounds(shapeCalls("ask", "work"), harness.Say("hi")), drive: stopCall, want: contract.Incomplete},
		"unavailable": {request: `"run":{"model_attempts":2}`, script: harness.Always(harness.Failure(500, "", "oops")), want: contract.Failed},
	}
}

// TestRecordedShapes runs every shape for real and replays what it wrote.
// `make record` keeps the histories.
func TestRecordedShapes(t *testing.T) {
	t.Parallel()
	for name, sh := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, sh.script)
			guard := func(_ context.Context, c worker.HookCall) (worker.Decision, error) {
				if c.Call.Tool == "guarded" {
					return worker.Ask("it is guarded"), nil
				}
				return worker.Allow(), nil
			}
			b := &boxes{}
			s.work("responses", worker.WithTools(fixed("weather", "sunny"), fixed("guarded", "open"), b.tool(b.resource(), "work", nil)), worker.WithBeforeToolCall(guard))
			request := `{"model":"m","input":"go"}`
			if sh.request != "" {
				request = `{"model":"m","input":"go",` + sh.request + `}`
			}
			run := s.startRaw(request)
			if sh.drive != nil {
				sh.drive(t, s, run)
			}
			result, err := run.Result(within(t))
			require.NotNil(t, result, "%v", err)
			require.Equal(t, sh.want, result.Status)
			s.keepHistory(strings.ReplaceAll(name, " ", "-"), run.ID())
		})
	}
}

// startRaw starts a run past the starter's own check.
func (s *stage) startRaw(request string) *starter.Run {
	s.t.Helper()
	run, err := s.client.ExecuteWorkflow(within(s.t), client.StartWorkflowOptions{TaskQueue: s.queue}, contract.TypeRun, rawJSON(request))
	require.NoError(s.t, err)
	return s.starter.Attach(run.GetID())
}

// rawJSON is an argument byte for byte, as any client may send it.
func rawJSON(text string) converter.RawValue {
	return converter.NewRawValue(&commonpb.Payload{
		Metadata: map[string][]byte{converter.MetadataEncoding: []byte(converter.MetadataEncodingJSON)},
		Data:     []byte(text),
	})
}
