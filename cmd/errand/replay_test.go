package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/test/harness"
	"errand/workflows/contract"
)

func TestReplayTellsTheRunsThatThisBuildCanGoOnWith(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Rounds(harness.Calls(harness.ToolCall{ID: "c1", Name: "ask", Arguments: "{}"}), harness.Say("done")))
	request := file(t, `{"model":"m","input":"x","tools":[{"type":"function","name":"ask"}]}`)
	require.Equal(t, exitOK, p.call(t, "run", "--file", request, "--run-id", p.id, "--detach").code)

	got := p.call(t, "replay", p.id)
	require.Equal(t, exitOK, got.code, got.err)
	require.Regexp(t, `(?m)^`+p.id+`\s+\d+\s+yes$`, got.out)
	require.Equal(t, exitUnknownRun, p.call(t, "replay", "nosuch").code)
	require.Equal(t, exitUsage, p.call(t, "replay", p.id, "--query", "x").code)
	require.Contains(t, p.call(t, "replay", "--query", "CloseTime is").err, "find the runs")
}

// TestReplayFindsARunOfOtherCode replays a workflow of the same type that does
// something else: what an incompatible build would have left behind.
func TestReplayFindsARunOfOtherCode(t *testing.T) {
	t.Parallel()
	p := setUp(t, nil)
	a := &app{name: "errand", environ: p.environ}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	other := sdkworker.New(c.Client, c.Queue, sdkworker.Options{})
	other.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ map[string]any) error {
		if err := workflow.Sleep(ctx, 1); err != nil {
			return err
		}
		return workflow.Await(ctx, func() bool { return false })
	}, workflow.RegisterOptions{Name: contract.TypeRun})
	require.NoError(t, other.Start())
	t.Cleanup(other.Stop)
	run, err := c.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: p.id, TaskQueue: c.Queue},
		contract.TypeRun, map[string]any{"model": "m", "input": "x"})
	require.NoError(t, err)
	harness.Eventually(t, time.Minute, func() (bool, string) {
		events := c.Client.GetWorkflowHistory(t.Context(), run.GetID(), "", false, 1)
		n := 0
		for events.HasNext() {
			e, err := events.Next()
			require.NoError(t, err)
			if e.GetTimerFiredEventAttributes() != nil {
				n++
			}
		}
		return n > 0, "no timer yet"
	}, "the run is in the middle")

	got := p.call(t, "replay")
	require.Equal(t, exitFailed, got.code, got.out)
	require.Contains(t, got.out, "NO: ")
	require.True(t, strings.HasSuffix(got.err, "1 of 1 runs do not replay on this build: do not deploy it beside them\n"), got.err)
	require.Contains(t, p.call(t, "replay", "-o", "json").out, `"replays":false`)
}
