package workflows

import (
	"encoding/json"
	"fmt"
	"strconv"

	"errand/tools"
)

// restore gives a new run the state that another execution took down.
func (r *run) restore(s snapshot) error {
	r.request, r.round = s.Request, s.Round
	r.registry = tools.RegistryOf(s.Descriptors)
	r.surface = newSurface(r.request, r.registry)
	for _, it := range s.Items {
		r.conversation.add(it)
	}
	r.conversation.sent, r.conversation.tokens = s.Sent, s.Tokens
	if q := s.Asking; q != nil {
		r.asking = &question{reason: q.Reason, expiry: q.Expiry, answered: q.Answered, extended: q.Extended}
	}
	calls := make(batch, len(s.Calls))
	for i, c := range s.Calls {
		calls[i] = &call{
			Call: c.Call, kind: c.Kind, tool: r.descriptor(c.Identity()), seen: c.Seen,
			begun: c.Begun, joined: c.Joined, started: c.Started, update: c.Update, place: c.Place, outcome: c.Outcome,
		}
	}
	for _, at := range s.Running {
		c, err := calls.at(at)
		if err != nil {
			return err
		}
		r.running = append(r.running, c)
	}
	if err := r.ledger.restore(s.Ledger, calls); err != nil {
		return err
	}
	r.midRound, r.stop = s.MidRound, s.Stop
	r.holdings.restore(s.Holdings)
	r.stopping.order = s.Stopped
	r.inbox.steering, r.inbox.followUps, r.inbox.heard = s.Inbox.Steering, s.Inbox.FollowUps, s.Inbox.Heard
	r.inbox.unknown = s.Inbox.Unknown
	r.journal.events, r.journal.first, r.journal.round = s.Journal.Events, s.Journal.First, s.Journal.Round
	r.journal.rejected = s.Journal.Rejected
	return r.report.restore(s.Report, s.Items)
}

// at is the call with an index that a snapshot names.
func (b batch) at(i int) (*call, error) {
	if i < 0 || i >= len(b) {
		return nil, fmt.Errorf("the snapshot names call %d of %d", i, len(b))
	}
	return b[i], nil
}

func (h *holdings) restore(s holdingsState) {
	h.keepers = s.Keepers
	for _, a := range s.All {
		h.all = append(h.all, &activation{
			Location: a.Location, state: a.State, failure: a.Failure, refused: a.Refused, gone: a.Gone, parting: a.Parting,
		})
	}
}

func (l *ledger) restore(s ledgerState, calls batch) error {
	l.spent, l.used = s.Spent, s.Used
	for _, a := range s.Actions {
		c, err := calls.at(a.Call)
		if err != nil {
			return err
		}
		c.action = &action{
			id: a.ID, call: c, status: a.Status, owner: a.Owner, lease: a.Lease, digest: a.Digest,
		}
		c.expiry = a.Expiry
		l.actions = append(l.actions, c.action)
		if !c.settled() {
			l.open = append(l.open, c.action)
		}
	}
	for _, p := range s.Approvals {
		c, err := calls.at(p.Call)
		if err != nil {
			return err
		}
		c.approval = &approval{
			id: p.ID, call: c, reason: p.Reason, settled: p.Settled, decided: p.Decided, approved: p.Approved,
		}
		c.expiry = p.Expiry
		l.approvals = append(l.approvals, c.approval)
		if !p.Settled {
			l.asked = append(l.asked, c.approval)
		}
	}
	return nil
}

func (r *report) restore(s reportState, items []json.RawMessage) error {
	r.status, r.model, r.usage, r.cost, r.lastError = s.Status, s.Model, s.Usage, s.Cost, s.LastError
	r.traces, r.oldTraces = s.Traces, s.OldTraces
	r.changes, r.warnings, r.repeats, r.sources = s.Changes, s.Warnings, s.Repeats, s.Sources
	r.release = s.Release
	r.outputLeftOut, r.stored = s.LeftOut, s.Stored
	for _, it := range s.Output {
		if i, err := strconv.Atoi(string(it)); err == nil {
			if i < 0 || i >= len(items) {
				return fmt.Errorf("the snapshot names item %d of %d", i, len(items))
			}
			it = items[i]
		}
		r.publish(it)
	}
	return nil
}
