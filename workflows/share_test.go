package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// TestAFullBatchStillFitsIntoAState has every call return exactly what it may,
// one round after the other, beside as much else as a state holds.
func TestAFullBatchStillFitsIntoAState(t *testing.T) {
	t.Parallel()
	server := tools.Descriptor{Type: tools.TypeMCP, GatewayTool: tools.GatewayTool{Remote: &tools.Remote{Server: "db", Tool: "q"}}}
	for name, kinds := range map[string][]tools.Descriptor{
		"of functions": {{}, {}, {}}, "of a server": {server, server, server}, "of both": {{}, server, {}, server},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fullRun()
			for round := range 3 {
				r.running = nil
				for i, tool := range kinds {
					c := &call{Call: tools.Call{ID: fmt.Sprint(round, i), Round: round, Index: i, Arguments: strings.Repeat(`"`, 100<<10)}, tool: tool}
					r.Conversation.Add(json.RawMessage(`{"arguments":"` + strings.Repeat("x", 200<<10) + `"}`))
					r.running = append(r.running, c)
				}
				for _, c := range r.running {
					// Markup and quotes take more than their length.
					text, _ := tools.Cut(strings.Repeat("\"\n<a>", 8<<20), r.shareOfState())
					c.outcome = &tools.Outcome{Status: tools.Succeeded, Output: text}
					requireFits(t, r)
				}
				for _, c := range r.running {
					r.Conversation.Add(item.Output(item.TypeFunctionCallOutput, c.ID, c.outcome.Output))
					if c.tool.Remote != nil {
						r.Report.Publish(serverCall(c))
					}
					c.joined, c.Arguments, c.outcome = true, "", &tools.Outcome{}
					requireFits(t, r)
				}
			}
		})
	}
}

// fullRun is a run with storage, and with all the rest that a state may hold.
func fullRun() *run {
	r := &run{registry: tools.RegistryOf(nil)}
	r.Report.Stored = 8 << 20
	r.Request.RawTools = json.RawMessage(`"` + strings.Repeat("t", 1<<20) + `"`)
	r.Journal.Events = make([]contract.Event, fewEvents)
	r.Report.Traces = make([]tools.Trace, fewTraces)
	r.Inbox.Steering = []json.RawMessage{json.RawMessage(`"` + strings.Repeat("s", 1<<20) + `"`)}
	return r
}

func requireFits(t *testing.T, r *run) {
	t.Helper()
	s := snapshot{state: r.state}
	s.Report = r.Report.Without(r.Conversation.Items)
	for _, c := range r.running {
		s.Calls = append(s.Calls, callState{Call: c.Call, Outcome: c.outcome})
	}
	require.LessOrEqual(t, s.rawSize(), r.maxRaw())
}

func TestWithoutStorageAnswersHaveTheCommonLimit(t *testing.T) {
	t.Parallel()
	r := fullRun()
	r.Report.Stored = 0
	require.Equal(t, tools.MaxOutput, r.answerRoom(&call{}))
}

func TestAnswersOfClientsShareTheState(t *testing.T) {
	t.Parallel()
	r := fullRun()
	for range 100 {
		r.running = append(r.running, &call{})
	}
	require.Less(t, r.answerRoom(r.running[0]), 200<<10)
	require.Equal(t, 8<<20, r.answerRoom(&call{relay: &relay{}}), "what is passed on takes nothing here")
}
