package test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/worker"
	"errand/workflows/contract"
)

// TestDetailsShowWhatIsOpenAndWhoStoppedTheRun: the page of a run in the Web UI.
func TestDetailsShowWhatIsOpenAndWhoStoppedTheRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, boxScript())
	b := &boxes{}
	s.work("responses", worker.WithTools(b.tool(b.resource(), "work", nil)))
	ctx := within(t)
	run, err := s.starter.Start(ctx, boxRequest())
	require.NoError(t, err)
	pendingAction(t, run)
	text := details(t, s.client, run.ID())
	require.Contains(t, text, "Open for this run")
	require.Regexp(t, "\\| platform/box \\| 1 \\| open \\| `[^`]+` \\|", text)
	require.NotContains(t, text, "Stop accepted")
	_, err = run.Stop(ctx, contract.Stop{Mode: contract.StopAfterRound, Actor: "eva", Reason: "a|b"})
	require.NoError(t, err)
	require.Contains(t, details(t, s.client, run.ID()), "Stop accepted: `after_round`, by eva: a¦b")
	_, err = run.Answer(ctx, starter.Output("act_2_0", "yes"))
	require.NoError(t, err)
	_, err = run.Result(ctx)
	require.NoError(t, err)
	require.NotContains(t, details(t, s.client, run.ID()), "Open for this run")
}

// details is the Markdown that the Web UI shows of a run.
func details(t *testing.T, c client.Client, id string) string {
	t.Helper()
	answer, err := c.QueryWorkflow(within(t), id, "", "__temporal_workflow_metadata")
	require.NoError(t, err)
	var metadata sdk.WorkflowMetadata
	require.NoError(t, answer.Get(&metadata))
	return metadata.GetCurrentDetails()
}
