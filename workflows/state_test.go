package workflows

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/session"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/budget"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

func TestARunGoesOnWithTheStateThatItLeft(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]*run{"full": fullState(), "empty": emptyState()} {
		packed, err := before.snapshot().encode()
		require.NoError(t, err, name)
		s, err := decodeSnapshot(packed)
		require.NoError(t, err, name)
		after := &run{}
		require.NoError(t, after.restore(s), name)
		require.Equal(t, before.state, after.state, name)
		require.Equal(t, before.surface, after.surface, name)
		require.Equal(t, before.registry, after.registry, name)
	}
}

func emptyState() *run {
	r := &run{state: state{Request: contract.Request{Run: contract.DefaultOptions()}}, registry: tools.RegistryOf(nil)}
	r.surface = conversation.NewSurface(r.Request, r.registry)
	return r
}

// fullState is a run in the middle of a batch, with one open call and one settled
// call, each with an action and an approval.
func fullState() *run {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	cost := item.Cost(7)
	r := emptyState()
	r.registry = tools.RegistryOf([]tools.Descriptor{tools.ClientDescriptor(tools.Declaration{Type: tools.TypeFunction, Name: "ask"})})
	r.Request.Model, r.Request.Metadata = "m", json.RawMessage(`{"a":"b"}`)
	r.surface = conversation.NewSurface(r.Request, r.registry)
	r.Round, r.MidRound, r.Stop = 2, true, model.FinishLength
	for _, it := range []string{`{"text":"a<b> & é"}`, `{"text":"c"}`} {
		r.Conversation.Add(json.RawMessage(it))
	}
	r.Conversation.InferInput()
	var done *actions.Call
	for i, id := range []string{"open", "done"} {
		done = &actions.Call{
			Call: tools.Call{ID: id, Round: 2, Index: i, Tool: "ask", Arguments: "{}"}, Kind: item.TypeFunctionCall,
			Seen: now, Begun: true, Started: true, Update: 3, Place: 1, Expiry: now, Descriptor: r.descriptor(tools.Identity{Name: "ask"}),
		}
		r.Running = append(r.Running, done)
		r.Ledger.Open(done).Claim("someone", now)
		done.Action.Digest = "digest of " + id
		r.Ledger.Ask(done, "why")
	}
	r.Ledger.Decide(done.Approval, true)
	r.Ledger.Settle(done, tools.Outcome{Status: tools.Succeeded, Output: "yes"})
	r.Ledger.Spent, r.Ledger.Used = 4, map[string]int{"look": 2}
	r.Budget = budget.Budget{Cost: &cost, Asking: &budget.Question{Reason: contract.ReasonMaxCost, Expiry: now, Answered: true, Extended: true}}
	r.Budget.Usage.TotalTokens = 9
	r.Stopped = &contract.StopReport{Mode: contract.StopAfterRound, Actor: "ada", Reason: "late", At: now}
	r.Inbox.Queue(contract.Message{ID: "1", Role: "user", Content: json.RawMessage(`"steer"`)})
	r.Inbox.Queue(contract.Message{Role: "user", Content: json.RawMessage(`"later"`), Deliver: contract.DeliverFollowUp})
	r.Inbox.NoteUnknown([]string{"odd"})
	r.Journal.Add(now, contract.Event{Type: contract.EventRunStart})
	r.Journal.Reject()
	r.Report.Status, r.Report.Model, r.Report.LastError, r.Report.Stored = contract.PendingAction, "m", "broke", 5
	r.Report.Publish(r.Conversation.Items[1])
	r.Report.Publish(json.RawMessage(`{"id":"elsewhere"}`))
	r.Report.Traces, r.Report.OldTraces = []tools.Trace{{Tool: "look"}}, 3
	r.Report.Changes, r.Report.Release = []tools.Change{{Resource: "r"}}, []contract.Release{{Source: "db"}}
	r.Report.Warn("careful")
	r.Report.Sources = map[string]string{"https://example.com": "title"}
	r.Sessions = sessions{Cleanups: 2, All: []*openedSession{{
		Location: session.Location{Session: session.ID{Source: "db", Epoch: 1}, Queue: "q"},
		State:    contract.SessionOpen, Failure: "slow", Refused: true, Closed: true, CloseError: "bye",
	}}}
	return r
}

func TestSnapshotOfAnotherFormatIsRefused(t *testing.T) {
	t.Parallel()
	s := fullState().snapshot()
	s.Format++
	packed, err := s.encode()
	require.NoError(t, err)
	_, err = decodeSnapshot(packed)
	require.ErrorContains(t, err, "format 2")
	_, err = decodeSnapshot([]byte("no"))
	require.Error(t, err)
	_, err = decodeSnapshot(packed[:len(packed)-9])
	require.Error(t, err)
}

func TestSnapshotThatNamesNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, spoil := range []func(*snapshot){
		func(s *snapshot) { s.Running = s.Running[1:] },
		func(s *snapshot) { s.Ledger.Actions[0].ID = "act_9_9" },
		func(s *snapshot) { s.Ledger.Approvals[0].ID = "apr_9_9" },
		func(s *snapshot) { s.Report.Output[0] = json.RawMessage("9") },
	} {
		s := fullState().snapshot()
		spoil(&s)
		require.Error(t, new(run).restore(s))
	}
}
