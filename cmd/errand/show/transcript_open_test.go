package show_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/show"
	"errand/workflows/contract"
)

func TestTranscriptShowsWhatIsOpenForTheRunAndWhoStoppedIt(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, show.View{}.Write(&b, show.Transcript{
		ID: "run_1", Status: contract.PendingAction,
		Sessions: []contract.OpenSession{
			{Source: "platform/box", Epoch: 1, Status: contract.SessionLost, Queue: "errand-1"},
			{Source: "platform/box", Epoch: 2, Status: contract.SessionOpen, Queue: "errand-2"},
			{Source: "mcp/db", Epoch: 1, Status: contract.SessionOpening},
		},
		Stop: &contract.StopReport{Mode: contract.StopAfterTools, Actor: "ada", Reason: "wrong\nticket"},
	}))
	require.Contains(t, b.String(), "open: platform/box (opening 2) at errand-2\n")
	require.Contains(t, b.String(), "opening: mcp/db (opening 1)\n")
	require.Contains(t, b.String(), "stop: after tools by ada: wrong ticket\n")
	require.NotContains(t, b.String(), "errand-1")
}
