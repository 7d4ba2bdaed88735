package show_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/show"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// transcript has an item of every kind, an open call, an open approval and an
// error.
func transcript() show.Transcript {
	input := "*** Begin Patch\n+x"
	return show.Transcript{
		ID: "run_1", Status: contract.PendingAction, Model: "gpt-5-mini", Rounds: 2,
		Usage: item.Usage{InputTokens: 120, OutputTokens: 34},
		Items: []json.RawMessage{
			item.Message("user", "When does the next\nflight leave?"),
			json.RawMessage(`{"role":"user","content":[{"type":"input_image","image_url":"http://x/y.png"}]}`),
			json.RawMessage(`{"type":"reasoning","summary":[{"text":"Look it up."}]}`),
			json.RawMessage(`{"type":"reasoning","summary":[],"encrypted_content":"zzz"}`),
			item.Message("assistant", "Looking."),
			item.FunctionCall("call_a", "lookup", `{"from":"OSL"}`),
			item.FunctionCall("call_b", "read_file", `{"path": `),
			item.Output(item.TypeFunctionCallOutput, "call_a", `{"flights":[{"gate":"A1","time":"10:00"},{"gate":"B2","time":"11:00"},{"gate":"C3"}]}`),
			item.Output(item.TypeFunctionCallOutput, "call_b", "no\x1b[31m such file\n"),
			item.FunctionCall("call_a", "lookup", `{"from":"BGO"}`),
			item.Output(item.TypeFunctionCallOutput, "call_a", strings.Repeat("abcdefghi\n", 30)),
			json.RawMessage(`{"type":"mcp_list_tools","server_label":"db","tools":[{"name":"q"},{"name":"r"}]}`),
			json.RawMessage(`{"type":"mcp_call","server_label":"db","name":"q","arguments":"{\"sql\":\"select 1\"}","output":"1"}`),
			json.RawMessage(`[]`),
		},
		Traces: []tools.Trace{
			{ToolCallID: "call_a", Tool: "lookup", Round: 2, StartedAt: at(5000), DurationMS: 2, ResultSizeBytes: 300, Status: tools.Succeeded, Attempt: 3},
			{ToolCallID: "call_b", Tool: "read_file", Round: 1, Index: 1, StartedAt: at(1000), DurationMS: 12, ResultSizeBytes: 12, Status: tools.Failed, Error: "no such file"},
			{ToolCallID: "call_a", Tool: "lookup", Round: 1, StartedAt: at(1000), DurationMS: 1500, ResultSizeBytes: 85, Status: tools.Succeeded},
		},
		Actions: []contract.OpenAction{
			{Manifest: contract.Manifest{ActionID: "act_2_0", Namespace: "crm", Tool: "find", Args: json.RawMessage(`{"name":"Ada"}`)}, Status: contract.ActionProcessing, Owner: "host-1"},
			{Manifest: contract.Manifest{ActionID: "act_2_1", Tool: "patch", Input: &input}, Status: contract.ActionPending},
		},
		Approvals: []contract.OpenApproval{{ApprovalRequestID: "apr_2_2", Tool: "write_file", Args: json.RawMessage(`{"path":"a"}`), Reason: "it writes"}},
		Error:     &contract.RunError{Code: "InvalidRequest", Message: "two faults", Faults: tools.Faults{{Path: "model", Message: "required"}}},
		Warnings:  []string{"field x: ignored"},
	}
}

func TestTranscriptShowsAllThatThereIs(t *testing.T) {
	t.Parallel()
	view := show.View{
		Limit: 200, Traces: true,
		Answer:  func(a contract.OpenAction) string { return "errand answer run_1 --action " + a.ActionID },
		Approve: func(a contract.OpenApproval) string { return "errand approve run_1 " + a.ApprovalRequestID },
	}
	var out strings.Builder
	require.NoError(t, view.Write(&out, transcript()))
	golden(t, "transcript.txt", out.String())
}

func TestTranscriptOfAnUntouchedRunIsShort(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, show.View{Traces: true}.Write(&out, show.Transcript{ID: "run_2", Status: contract.Incomplete, Reason: "max_rounds", Rounds: 1}))
	require.Equal(t, "run_2 · incomplete (max_rounds) · 1 round\n\ntokens: 0 in, 0 out\n\nno calls\n", out.String())
}

// golden compares with a file, or writes it when UPDATE_GOLDEN is set.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
