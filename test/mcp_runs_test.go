package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools/mcp/mcpconfig"
	"errand/workflows/contract"
)

// thinking is server-sequential-thinking as a server of scope run: it counts
// the thoughts of its process.
func thinking(t *testing.T) mcpconfig.Server {
	t.Helper()
	return marked(t, mcpconfig.Server{Name: "think", Command: "node", Args: []string{reference(t, "sequential-thinking")}, Scope: mcpconfig.ScopeRun})
}

// publicCalls are the mcp_call items of a result.
func publicCalls(t *testing.T, result *contract.Result) []publicCall {
	t.Helper()
	var all []publicCall
	for _, raw := range result.Output {
		var c publicCall
		require.NoError(t, json.Unmarshal(raw, &c))
		require.NotEqual(t, "function_call", c.Type, "the function call that the model wrote is never shown")
		if c.Type == "mcp_call" {
			all = append(all, c)
		}
	}
	return all
}

type publicCall struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Server    string  `json:"server_label"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    *string `json:"output"`
	Error     any     `json:"error"`
	Status    string  `json:"status"`
	Approval  *string `json:"approval_request_id"`
}

func TestTwoRunsOnOneStatefulServerAreKeptApart(t *testing.T) {
	t.Parallel()
	thought := func(n int) harness.Answer {
		return harness.Call("sequentialthinking", fmt.Sprintf(`{"thought":"t","nextThoughtNeeded":true,"thoughtNumber":%d,"totalThoughts":9}`, n))
	}
	s := newStage(t, harness.Rounds(thought(1), thought(2), thought(3), harness.Say("done")))
	config := s.config("responses")
	config.MCP.Servers = append(config.MCP.Servers, thinking(t))
	s.workWith(config)
	var runs []*starter.Run
	for range 2 {
		runs = append(runs, s.startRaw(`{"model":"m","input":"go","tools":[{"type":"mcp","server_label":"think"}]}`))
	}
	for _, run := range runs {
		result, err := run.Result(within(t))
		require.NoError(t, err)
		calls := publicCalls(t, result)
		require.Len(t, calls, 3)
		for i, c := range calls {
			require.Equal(t, "completed", c.Status)
			require.Contains(t, *c.Output, fmt.Sprintf(`"thoughtHistoryLength": %d`, i+1), "only this run's thoughts are counted")
		}
	}
}

func TestServerOfAWorkerInARun(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "a", Name: "echo", Arguments: `{"message":"hi"}`},
			harness.ToolCall{ID: "b", Name: "get-sum", Arguments: `{"a":1}`},
			harness.ToolCall{ID: "c", Name: "get-sum", Arguments: `{"a":"20","b":22}`},
		), harness.Say("done"),
	))
	config := s.config("responses")
	config.MCP.Servers = append(config.MCP.Servers, marked(t, mcpconfig.Server{
		Name: "e", Command: "node", Args: []string{reference(t, "everything")}, Scope: mcpconfig.ScopeShared,
	}))
	s.workWith(config)
	run := s.startRaw(`{"model":"m","input":"go","tools":[{"type":"mcp","server_label":"e","allowed_tools":["echo","get-sum"]},{"type":"mcp","server_label":"db"}]}`)
	result, err := run.Result(within(t))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)

	var list struct {
		Type   string `json:"type"`
		Server string `json:"server_label"`
		Tools  []struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		Error string `json:"error"`
	}
	require.NoError(t, json.Unmarshal(result.Output[0], &list))
	require.Equal(t, "mcp_list_tools", list.Type)
	require.Len(t, list.Tools, 2)
	require.Contains(t, string(list.Tools[0].Schema), "draft-07")
	require.NoError(t, json.Unmarshal(result.Output[1], &list))
	require.Equal(t, "db", list.Server, "a server that is down is a failed listing, and the run goes on")
	require.Contains(t, list.Error, "cannot be reached")

	calls := publicCalls(t, result)
	require.Len(t, calls, 3)
	require.Equal(t, "Echo: hi", *calls[0].Output)
	require.Equal(t, "failed", calls[1].Status, "arguments are checked before they leave")
	require.Contains(t, *calls[2].Output, "42", "and made to fit")
	require.Equal(t, "e", calls[0].Server)

	events, err := run.Events(within(t), 0)
	require.NoError(t, err)
	lists := 0
	for _, e := range events.Events {
		if e.Type == contract.EventListTools {
			lists++
			require.Contains(t, []string{"e", "db"}, e.Server)
		}
	}
	require.Equal(t, 2, lists)
	first := s.model.Requests()[0]
	require.NotContains(t, string(first.Body), `"mcp"`, "the model sees functions")
}

func TestBroughtServerAsksForApprovalAndShowsNoCredential(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	everything(t, "streamableHttp", port)
	s := newStage(t, harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "a", Name: "echo", Arguments: `{"message":"yes"}`},
			harness.ToolCall{ID: "b", Name: "echo", Arguments: `{"message":"no"}`},
		), harness.Say("done"),
	))
	config := s.config("responses")
	config.MCP.Hosts = []string{"127.0.0.1"}
	s.workWith(config)
	run := s.startRaw(`{"model":"m","input":"go","tools":[{"type":"mcp","server_label":"e","server_url":"http://127.0.0.1:` + port + `/mcp","authorization":"pl41n-t3xt","headers":{"X-Key":"s3cr3t-v4lue"},"allowed_tools":["echo"]}]}`)
	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(t.Context())
		if err != nil {
			return false, err.Error()
		}
		return len(status.Approvals) == 2, string(status.Status)
	}, "two open approvals")
	_, err := run.Approve(within(t), starter.Approved("apr_1_0", "ada"))
	require.NoError(t, err)
	no := false
	_, err = run.Approve(within(t), contract.Approval{ApprovalRequestID: "apr_1_1", Approve: &no, Reason: "not that"})
	require.NoError(t, err)
	result, err := run.Result(within(t))
	require.NoError(t, err)
	calls := publicCalls(t, result)
	require.Len(t, calls, 2)
	require.Equal(t, "completed", calls[0].Status)
	require.Equal(t, "apr_1_0", *calls[0].Approval)
	require.Equal(t, "failed", calls[1].Status)
	asked := 0
	for _, raw := range result.Output {
		if strings.Contains(string(raw), `"mcp_approval_request"`) {
			asked++
			require.Contains(t, string(raw), `"server_label":"e"`)
		}
	}
	require.Equal(t, 2, asked)
	text, err := json.Marshal(result)
	require.NoError(t, err)
	events, err := run.Events(within(t), 0)
	require.NoError(t, err)
	seen, err := json.Marshal(events)
	require.NoError(t, err)
	for _, secret := range []string{"pl41n-t3xt", "s3cr3t-v4lue"} {
		require.NotContains(t, string(text), secret)
		require.NotContains(t, string(seen), secret)
	}
	require.Contains(t, strings.Join(result.Run.Warnings, "\n"), "plain text")
}

func TestFaultsOfServerDeclarationsFailTheRunTogether(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("never asked")))
	s.work("responses")
	run := s.startRaw(`{"model":"m","input":"go","tools":[{"type":"mcp","server_label":"nobody"},{"type":"mcp","server_label":"x","server_url":"http://evil.example/mcp"},{"type":"mcp","server_label":"db"}]}`)
	result, err := run.Result(within(t))
	require.Error(t, err)
	require.Equal(t, contract.ErrInvalidRequest, result.Error.Code)
	require.Len(t, result.Error.Faults, 2)
	require.Equal(t, "tools[0].server_label", result.Error.Faults[0].Path)
	require.Equal(t, "tools[1].server_url", result.Error.Faults[1].Path)
	require.Empty(t, s.model.Requests())
}

func TestCancelledRunStopsItsServersTool(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(harness.Call("trigger-long-running-operation", `{"duration":60,"steps":60}`), harness.Say("done")))
	config := s.config("responses")
	config.MCP.Servers = append(config.MCP.Servers, marked(t, mcpconfig.Server{Name: "e", Command: "node", Args: []string{reference(t, "everything")}, Scope: mcpconfig.ScopeRun}))
	s.workWith(config)
	run := s.startRaw(`{"model":"m","input":"go","tools":[{"type":"mcp","server_label":"e"}],"run":{"progress":true}}`)
	harness.Eventually(t, patience, func() (bool, string) {
		events, err := run.Events(t.Context(), 0)
		if err != nil {
			return false, err.Error()
		}
		for _, e := range events.Events {
			if e.Type == contract.EventToolUpdate {
				return true, ""
			}
		}
		return false, "no update"
	}, "progress of the tool as an event")
	require.NoError(t, run.Cancel(within(t)))
	result, err := run.Result(within(t))
	require.Error(t, err)
	require.Equal(t, contract.Cancelled, result.Status)
	calls := publicCalls(t, result)
	require.Len(t, calls, 1)
	require.Equal(t, "incomplete", calls[0].Status)
}
