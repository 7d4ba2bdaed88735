package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

func TestARunThatWasClosedFromOutsideIsShownWithoutAWorker(t *testing.T) {
	t.Parallel()
	known := fromOutside("run_1", starter.TimedOut)
	var out strings.Builder
	require.NoError(t, show.View{}.Write(&out, known.transcript()))
	require.Equal(t, "run_1 · timed_out · 0 rounds\n\ntokens: 0 in, 0 out\nwarning: no worker replies, so nothing more can be told\n", out.String())
	require.JSONEq(t, `{"status":{"run_id":"run_1","status":"timed_out","round":0,"actions":[],"approvals":[],
		"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0},"last_error":"","events":0,"items":0},
		"items":[],"traces":[],"result":null}`, encoded(t, known))
	require.ErrorAs(t, known.closed(), new(*starter.ClosedError))
	require.NoError(t, snapshot{Status: contract.StatusReport{Status: contract.Failed}}.closed())
}
