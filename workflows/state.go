package workflows

import (
	"errand/activities/model"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/budget"
	"errand/workflows/contract"
	"errand/workflows/conversation"
	"errand/workflows/events"
	"errand/workflows/inbox"
	"errand/workflows/report"
)

// state is what a run carries into a new execution as it is. A field that is
// added here is carried; what can be worked out again (digests, sizes, surface)
// its part leaves out.
type state struct {
	// Request is carried without its input, which is in the conversation.
	Request      contract.Request          `json:"request"`
	Conversation conversation.Conversation `json:"conversation,omitzero"`
	// Round counts from 1; 0 before the first inference.
	Round int `json:"round,omitempty"`
	// Stop is how the answer with the running batch ended; MidRound is true until
	// that batch is dealt with.
	Stop     model.FinishReason `json:"stop,omitempty"`
	MidRound bool               `json:"mid_round,omitempty"`
	// Running is the current batch; what is open in Ledger belongs to it.
	Running actions.Batch  `json:"running,omitempty"`
	Ledger  actions.Ledger `json:"ledger,omitzero"`
	Budget  budget.Budget  `json:"budget,omitzero"`
	// Stopped is nil until somebody stops the run; the hardest mode stays.
	Stopped *contract.StopReport `json:"stopped,omitempty"`
	Inbox   inbox.Inbox          `json:"inbox,omitzero"`
	Journal events.Journal       `json:"journal,omitzero"`
	Report  report.Report        `json:"report,omitzero"`
}

// snapshotFormat is raised when older builds must not read a snapshot: when a
// field changes its meaning. A new field needs no new format.
const snapshotFormat = 1

// snapshot is the whole state of a run as plain data: what a new execution
// needs to go on with it.
type snapshot struct {
	Format int `json:"format"`
	state
	Descriptors []tools.Descriptor `json:"descriptors,omitempty"`
	// Holdings are what is open; the new execution's Cleanup takes it over.
	Holdings holdingsState `json:"holdings,omitzero"`
}

// snapshot takes down the state of a run. No activity may be in flight.
func (r *run) snapshot() snapshot {
	s := snapshot{Format: snapshotFormat, state: r.state}
	s.Request.Input = nil
	s.Report = r.Report.Without(r.Conversation.Items)
	if r.registry != nil {
		s.Descriptors = r.registry.All()
	}
	if !r.MidRound { // nothing needs the last batch any more
		s.Running = nil
	}
	s.Holdings = r.holdings.state()
	return s
}

// restore gives a new run the state that another execution took down.
func (r *run) restore(s snapshot) error {
	r.state = s.state
	r.Conversation.Restore()
	if err := r.Report.Restore(r.Conversation.Items); err != nil {
		return err
	}
	r.registry = tools.RegistryOf(s.Descriptors)
	r.surface = conversation.NewSurface(r.Request, r.registry)
	for _, c := range r.Running {
		c.Descriptor = r.descriptor(c.Identity())
	}
	r.holdings.restore(s.Holdings)
	return r.Ledger.Connect(r.Running)
}
