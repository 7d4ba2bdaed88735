package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
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
				r.Running = nil
				for i, tool := range kinds {
					c := &actions.Call{Call: tools.Call{ID: fmt.Sprint(round, i), Round: round, Index: i, Arguments: strings.Repeat(`"`, 100<<10)}, Descriptor: tool}
					r.Conversation.Add(json.RawMessage(`{"arguments":"` + strings.Repeat("x", 200<<10) + `"}`))
					r.Running = append(r.Running, c)
				}
				for _, c := range r.Running {
					// Markup and quotes take more than their length.
					text, _ := tools.Cut(strings.Repeat("\"\n<a>", 8<<20), r.shareOfState())
					c.Outcome = &tools.Outcome{Status: tools.Succeeded, Output: text}
					requireFits(t, r)
				}
				for _, c := range r.Running {
					r.Conversation.Add(item.Output(item.TypeFunctionCallOutput, c.ID, c.Outcome.Output))
					if c.Descriptor.Remote != nil {
						r.Report.Publish(serverCall(c))
					}
					c.Joined, c.Arguments, c.Outcome = true, "", &tools.Outcome{}
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
	require.LessOrEqual(t, s.rawSize(), r.maxRaw())
}

func TestWithoutStorageAnswersHaveTheCommonLimit(t *testing.T) {
	t.Parallel()
	r := fullRun()
	r.Report.Stored = 0
	require.Equal(t, tools.MaxOutput, r.answerRoom(&actions.Call{}))
}

func TestAnswersOfClientsShareTheState(t *testing.T) {
	t.Parallel()
	r := fullRun()
	for range 100 {
		r.Running = append(r.Running, &actions.Call{})
	}
	require.Less(t, r.answerRoom(r.Running[0]), 200<<10)
	relayed := &actions.Call{}
	r.delegated.relays = map[*actions.Call]*relay{relayed: {}}
	require.Equal(t, 8<<20, r.answerRoom(relayed), "what is passed on takes nothing here")
}
