package starter

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/workflows/contract"
)

func TestCallsHaveAStableKey(t *testing.T) {
	t.Parallel()
	open := contract.OpenAction{Manifest: contract.Manifest{RunID: "r", ActionID: "act_12_7"}}
	require.Equal(t, "r/12/7", newCall(open).Key)
	open.ActionID = "other"
	require.Equal(t, "r/other", newCall(open).Key)
}

func TestArgumentsAreDecoded(t *testing.T) {
	t.Parallel()
	var args struct {
		City string `json:"city"`
	}
	call := Call{Manifest: contract.Manifest{Tool: "f", Args: json.RawMessage(`{"city":"Oslo"}`)}}
	require.NoError(t, call.Decode(&args))
	require.Equal(t, "Oslo", args.City)
	call.Args = json.RawMessage(`{"city":1}`)
	require.ErrorContains(t, call.Decode(&args), `arguments of "f"`)
	input := "text"
	call.Input = &input
	require.ErrorContains(t, call.Decode(&args), "custom tool")
}
