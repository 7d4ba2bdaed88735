package workflows

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

const underWay = "a run does not continue while a delegated one is running"

// notCarried are the fields that a new execution has from elsewhere, and why.
// Any other field of a run must be in its snapshot.
var notCarried = map[string]string{
	"run.id":                       "the workflow id, which stays",
	"run.execution":                "about one execution only",
	"run.state.Report.size":        "counted anew",
	"run.outside":                  "how one execution is reached",
	"run.state.Conversation.named": "items go to the next inference in full",
	"run.state.Journal.closed":     "a run that ends does not continue",
	"run.state.Request.Input":      "the first items of the conversation",
	"run.holdings.keeper":          "the new execution starts its own",
	"run.holdings.started":         "counts the Cleanups of one execution only",
	"run.stopping.now":             "made anew",
	"run.stopping.inference":       "made anew",
	"run.failed":                   "a run that fails does not continue",
	"run.attributes":               "Temporal keeps them over a continue-as-new",
	"run.state.Running[0].size":    "counted anew",
	"run.state.Running[1].size":    "counted anew",
	"run.validating":               "a run does not continue in the middle of a check",
	"run.delegated":                underWay,
	"run.abandon":                  "stops the batch of this execution",
}

// TestSnapshotCarriesEveryField fails for a field that somebody adds to run, or
// to a part of it, and forgets in state_calls.go.
func TestSnapshotCarriesEveryField(t *testing.T) {
	t.Parallel()
	before := filledRun()
	after := again(t, before)
	d := differ{exceptions: notCarried}
	d.compare("run", before, after)
	require.Empty(t, d.faults, "these fields do not survive a continue-as-new: carry them in state_calls.go, or "+
		" name them in notCarried with the reason")
}

func TestSnapshotKeepsWhatIsEmpty(t *testing.T) {
	t.Parallel()
	before := &run{state: state{Request: contract.Request{Run: contract.DefaultOptions()}}, registry: tools.RegistryOf(nil)}
	before.surface = conversation.NewSurface(before.Request, before.registry)
	d := differ{exceptions: notCarried}
	d.compare("run", before, again(t, before))
	require.Empty(t, d.faults)
}

func again(t *testing.T, before *run) *run {
	t.Helper()
	packed, err := before.snapshot().encode()
	require.NoError(t, err)
	s, err := decodeSnapshot(packed)
	require.NoError(t, err)
	after := &run{}
	require.NoError(t, after.restore(s))
	return after
}

// filledRun has a value in every field: one open call and one settled call,
// each with an action and an approval.
func filledRun() *run {
	r := &run{}
	f := newFiller()
	f.fill(r)
	open, done := r.Running[0], newFiller().call()
	open.Outcome = nil
	tool := open.Descriptor
	r.registry = tools.RegistryOf([]tools.Descriptor{tool})
	for _, c := range []*actions.Call{open, done} {
		c.Tool, c.Namespace, c.Descriptor = tool.Name, tool.Namespace, tool
	}
	r.surface = conversation.NewSurface(r.Request, r.registry)
	r.Running = actions.Batch{open, done}
	r.Ledger = actions.Ledger{Spent: r.Ledger.Spent, Used: r.Ledger.Used}
	outcome := *done.Outcome
	done.Outcome = nil
	for _, c := range []*actions.Call{open, done} {
		r.Ledger.Open(c).Claim("someone", c.Seen)
		c.Action.Digest = "digest of " + c.Action.ID
		r.Ledger.Ask(c, "why "+c.ID)
	}
	r.Ledger.Decide(done.Approval, true)
	r.Ledger.Settle(done, outcome)
	r.Conversation = conversation.Conversation{Sent: 1}
	for _, it := range []string{`{"text":"a<b> & é"}`, `{"text":"c"}`} {
		r.Conversation.Add(json.RawMessage(it))
	}
	r.Report.Output = []json.RawMessage{r.Conversation.Items[1], json.RawMessage(`{"id":"elsewhere"}`)}
	return r
}

func TestSnapshotOfAnotherFormatIsRefused(t *testing.T) {
	t.Parallel()
	s := filledRun().snapshot()
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
		s := filledRun().snapshot()
		spoil(&s)
		require.Error(t, new(run).restore(s))
	}
}
