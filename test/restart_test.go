package test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/test/world"
	"errand/workflows/contract"
)

// TestOpenCallsOutliveAWorkerAndAServer: both are killed while a client's calls
// are open and one of them is claimed; other processes take their places, and
// the client goes on with the handle that it has.
func TestOpenCallsOutliveAWorkerAndAServer(t *testing.T) {
	t.Parallel()
	options := devserver.Options{DBFile: t.TempDir() + "/temporal.db", UIPort: devserver.NoUI}
	server := harness.StartTemporal(t, options)
	s := &crashStage{
		stage: newStageAt(t, server.Address, harness.Rounds(
			harness.Calls(
				harness.ToolCall{ID: "c1", Name: "ask", Arguments: `{}`}, harness.ToolCall{ID: "c2", Name: "ask", Arguments: `{}`},
				harness.ToolCall{ID: "c3", Name: "ask", Arguments: `{}`}),
			harness.Say("all done"))),
		world: world.Start(t), binary: harness.Build(t, "./test/toolworker"),
	}
	worker := s.startWorker()
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Function("ask", "", nil)}})
	require.NoError(t, err)
	pendingAction(t, run)
	_, err = run.Answer(ctx, starter.Output(contract.ActionID(1, 1), "two"))
	require.NoError(t, err)
	_, err = run.Claim(ctx, contract.Claim{ActionID: contract.ActionID(1, 0), Owner: "first client", Lease: "1h"})
	require.NoError(t, err)
	before, err := run.Status(ctx)
	require.NoError(t, err)

	worker.Kill9()
	server.Kill()
	options.Address = server.Address
	harness.StartTemporal(t, options)
	s.startWorker()

	harness.Eventually(t, patience, func() (bool, string) {
		after, err := run.Status(ctx)
		return err == nil && asJSON(t, before) == asJSON(t, after), fmt.Sprint(asJSON(t, after), err)
	}, "the run stands as it did: "+asJSON(t, before))
	for i, word := range map[int]string{2: "three", 0: "one"} {
		_, err = run.Answer(ctx, starter.Output(contract.ActionID(1, i), word))
		require.NoError(t, err)
	}
	receipt, err := run.Answer(ctx, starter.Output(contract.ActionID(1, 1), "two"))
	if err == nil { // unless the run has ended by now
		require.True(t, receipt.Repeated)
	}
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "all done", result.OutputText)
	second, err := harness.Decode(s.model.Requests()[1])
	require.NoError(t, err)
	require.Len(t, s.model.Requests(), 2)
	var outputs []string
	for _, o := range second.Outputs() {
		outputs = append(outputs, o.Output)
	}
	require.Equal(t, []string{"one", "two", "three"}, outputs, "origin order")
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
