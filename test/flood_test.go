package test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/workflows/contract"
)

// floodOfSignals is how many wrong signals a run gets in this test, from
// senders that do not wait for each other.
const (
	floodOfSignals = 2000
	floodSenders   = 8
)

// wrongSignals are what clients get wrong.
var wrongSignals = []string{
	`{"tool_call_id":"nobody's","output":"x"}`, `{"action_id":"act_9_9","output":"x"}`, `{"output":"x"}`,
	`[1,2]`, `"text"`, `{"tool_call_id":7,"output":"x"}`, `{"type":"custom_tool_call_output","call_id":"c1","output":"x"}`,
}

func TestFloodOfWrongSignalsNeitherWedgesNorSlowsARun(t *testing.T) {
	t.Parallel()
	ask := func(id string) harness.Answer {
		return harness.Calls(harness.ToolCall{ID: id, Name: "ask", Arguments: `{}`})
	}
	s := newStage(t, harness.Rounds(ask("c1"), ask("c2"), harness.Say("all done")))
	s.work("responses")
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Function("ask", "", nil)},
	})
	require.NoError(t, err)
	pendingAction(t, run)

	var senders sync.WaitGroup
	begun := time.Now()
	for sender := range floodSenders {
		senders.Go(func() {
			for i := range floodOfSignals / floodSenders {
				payload := json.RawMessage(wrongSignals[(sender+i)%len(wrongSignals)])
				if err := s.client.SignalWorkflow(ctx, run.ID(), "", contract.ToolOutput, payload); err != nil {
					t.Errorf("signal %d of sender %d: %v", i, sender, err)
					return
				}
			}
		})
	}
	during := time.Now()
	_, err = run.Answer(ctx, starter.Output(contract.ActionID(1, 0), "one"))
	require.NoError(t, err, "the answer gets through the flood")
	answeredDuring := time.Since(during)
	senders.Wait()
	flooded := time.Since(begun)

	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(ctx)
		return err == nil && status.Rejected == floodOfSignals && status.Round == 2 && len(status.Actions) == 1, fmt.Sprint(status.Rejected, err)
	}, "every wrong signal is counted, and the run went on meanwhile")
	after := time.Now()
	_, err = run.Answer(ctx, starter.Output(contract.ActionID(2, 0), "two"))
	require.NoError(t, err)
	answeredAfter := time.Since(after)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "all done", result.OutputText)
	require.Contains(t, result.Run.Warnings, "2000 signals were rejected; the events have the first 100")
	t.Logf("%d wrong signals in %s; an answer took %s meanwhile and %s afterwards",
		floodOfSignals, flooded.Round(time.Millisecond), answeredDuring.Round(time.Millisecond), answeredAfter.Round(time.Millisecond))
}
