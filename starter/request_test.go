package starter

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/contract"
)

func TestRequestWritesEveryField(t *testing.T) {
	t.Parallel()
	yes := true
	raw, err := json.Marshal(Request{
		Model: "m", Instructions: "be brief", Input: []json.RawMessage{json.RawMessage(`{"role":"user","content":"hi"}`)},
		Tools: []Tool{
			Function("f", "does f", json.RawMessage(`{"type":"object"}`)), Platform("now"),
			{Type: tools.TypeCustom, Name: "c", ClientTimeout: Duration(time.Hour)},
			{Type: tools.TypeFunction, Name: "g", ClientTimeout: NoTimeout},
		},
		ToolChoice: "required", ParallelToolCalls: &yes, MaxToolCalls: 9, Metadata: map[string]string{"ticket": "42"},
		Run: RunOptions{
			MaxRounds: 3, MaxTokens: 5000, MaxCost: CostUnit / 4, OnBudget: contract.BudgetAsk, ToolExecution: contract.ExecuteSequential, MaxParallelCalls: 2,
			ToolTimeout: NoTimeout, ClientTimeout: Duration(72 * time.Hour), OnClientTimeout: contract.TimeoutFails, CancelGrace: Duration(time.Second), ModelAttempts: 4, ReadOnly: true,
			RequireCheckpoint: true, TextCalls: true, UndeclaredTools: contract.UndeclaredClient, DuplicateTools: tools.DuplicatesLast,
		},
		Extra: map[string]any{"temperature": 0.2},
	})
	require.NoError(t, err)

	decoded, faults := contract.DecodeRequest(raw)
	require.Empty(t, faults)
	require.Equal(t, "m", decoded.Model)
	require.Equal(t, "be brief", decoded.Instructions)
	require.Len(t, decoded.Input, 1)
	require.Len(t, decoded.Tools, 4)
	require.Nil(t, decoded.Tools[0].ClientTimeout)
	require.Equal(t, time.Hour, *decoded.Tools[2].ClientTimeout)
	require.Zero(t, *decoded.Tools[3].ClientTimeout)
	require.JSONEq(t, `"required"`, string(decoded.ToolChoice))
	require.True(t, *decoded.ParallelToolCalls)
	require.Equal(t, 9, decoded.MaxToolCalls)
	require.JSONEq(t, `{"ticket":"42"}`, string(decoded.Metadata))
	require.JSONEq(t, "0.2", string(decoded.Settings["temperature"]))
	require.Equal(t, contract.RunOptions{
		MaxRounds: 3, MaxTokens: 5000, MaxCost: 250_000_000, OnBudget: contract.BudgetAsk, ToolExecution: contract.ExecuteSequential, MaxParallelCalls: 2,
		ToolTimeout: NoTimeout, ClientTimeout: Duration(72 * time.Hour), OnClientTimeout: contract.TimeoutFails, CancelGrace: Duration(time.Second), ModelAttempts: 4,
		ReadOnly: true, RequireCheckpoint: true,
		TextCalls: true, UndeclaredTools: contract.UndeclaredClient, DuplicateTools: tools.DuplicatesLast,
	}, decoded.Run)
}

func TestRequestLeavesDefaultsToTheRun(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Request{Model: "m", Input: "hi"})
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","input":"hi"}`, string(raw))
	decoded, faults := contract.DecodeRequest(raw)
	require.Empty(t, faults)
	require.Equal(t, contract.DefaultOptions(), decoded.Run)
}

func TestExtraGoesBesideTheFields(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Request{Extra: map[string]any{"model": "m"}})
	require.ErrorContains(t, err, "use the field of that name")
	require.Empty(t, raw)

	raw, err = json.Marshal(Request{Extra: map[string]any{"top_p": 1}})
	require.NoError(t, err)
	require.JSONEq(t, `{"top_p":1}`, string(raw))

	raw, err = json.Marshal(Tool{Type: "mcp", Extra: map[string]any{"server_label": "db", "require_approval": "never"}})
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"mcp","server_label":"db","require_approval":"never"}`, string(raw))

	_, err = json.Marshal(Tool{Type: "function", Extra: map[string]any{"name": "f"}})
	require.ErrorContains(t, err, "use the field of that name")
}
