package workflows

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

func TestListThatTheInputHasIsNotRepeated(t *testing.T) {
	t.Parallel()
	shown := []item.ListedTool{{Name: "q", InputSchema: json.RawMessage(`{"type":"object"}`)}}
	same := item.Listing("mcpl_9", "db", shown)
	for name, row := range map[string]struct {
		input json.RawMessage
		label string
		want  bool
	}{
		"the same":       {same, "db", true},
		"another server": {same, "other", false},
		"it had failed":  {item.FailedListing("x", "db", "down"), "db", false},
		"another list":   {item.Listing("x", "db", nil), "db", false},
		"no list":        {item.Message("user", "hi"), "db", false},
	} {
		r := &run{state: state{Request: contract.Request{Input: []json.RawMessage{row.input}}}}
		require.Equal(t, row.want, r.listedBefore(row.label, shown), name)
	}
}

func TestPublicCallOfAServer(t *testing.T) {
	t.Parallel()
	fail := tools.Fail(tools.Failed, tools.ErrExecutionFailed, "no such table")
	rpc := fail
	rpc.Public = json.RawMessage(`{"type":"mcp_protocol_error","code":-32602,"message":"m"}`)
	cut := tools.Fail(tools.Unknown, tools.ErrOutcomeUnknown, "lost")
	for want, o := range map[string]*tools.Outcome{
		`"output":null,"error":null,"status":"in_progress"`: nil,
		`"output":"42","error":null,"status":"completed"`:   {Status: tools.Succeeded, Output: "42"},
		`"output":null,"error":{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"no such table"}]},"status":"failed"`: &fail,
		`"error":{"type":"mcp_protocol_error","code":-32602,"message":"m"},"status":"failed"`:                                            &rpc,
		`"status":"incomplete"`: &cut,
	} {
		c := &actions.Call{
			Call: tools.Call{Round: 2, Index: 1, Tool: "q", Arguments: `{"a":1}`}, Outcome: o,
			Descriptor: tools.Descriptor{Type: tools.TypeMCP, GatewayTool: tools.GatewayTool{Remote: &tools.Remote{Server: "db", Tool: "q"}}},
		}
		text := string(publicItem(c))
		require.Contains(t, text, want)
		require.Contains(t, text, `"type":"mcp_call","id":"mcp_2_1","server_label":"db","name":"q","arguments":"{\"a\":1}"`)
		require.Contains(t, text, `"approval_request_id":null`)
	}
}

func TestLimitsHoldForAllServersOfARunTogether(t *testing.T) {
	t.Parallel()
	many := func(count int, description string) tools.Listing {
		var out tools.Listing
		for range count {
			out.Tools = append(out.Tools, tools.Listed{Descriptor: tools.Descriptor{Description: description}})
		}
		return out
	}
	third := strings.Repeat("d", activities.MaxDescriptors/3)
	for _, row := range []struct {
		name  string
		one   tools.Listing
		two   tools.Listing
		fault string
	}{
		{name: "as many tools as may be", one: many(500, ""), two: many(12, "")},
		{name: "one more", one: many(500, ""), two: many(13, ""), fault: "513 tools together, at most 512"},
		{name: "as many bytes as may be", one: many(1, third), two: many(1, third)},
		{name: "more bytes", one: many(1, third), two: many(2, third), fault: "bytes of description together, at most 1572864"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var faults tools.Faults
			declared := []tools.Declaration{{Path: "tools[0]"}, {Path: "tools[1]"}}
			checkLimits(declared, map[string]tools.Listing{"tools[0]": row.one, "tools[1]": row.two}, &faults)
			if row.fault == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Contains(t, faults.Error(), row.fault)
		})
	}
}
