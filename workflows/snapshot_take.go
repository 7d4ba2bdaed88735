package workflows

import (
	"encoding/json"
	"strconv"
)

// snapshot takes down the state of a run. No activity may be in flight.
func (r *run) snapshot() snapshot {
	s := snapshot{
		Format: snapshotFormat, Request: r.request,
		Items: r.conversation.items, Sent: r.conversation.sent, Tokens: r.conversation.tokens, Round: r.round,
		Inbox: inboxState{
			Steering: r.inbox.steering, FollowUps: r.inbox.followUps, Heard: r.inbox.heard, Unknown: r.inbox.unknown,
		},
		Journal: journalState{Events: r.journal.events, First: r.journal.first, Round: r.journal.round, Rejected: r.journal.rejected},
		Report:  r.report.state(r.conversation.items),
	}
	s.Request.Input = nil
	if r.registry != nil {
		s.Descriptors = r.registry.All()
	}
	if q := r.asking; q != nil {
		s.Asking = &questionState{Reason: q.reason, Expiry: q.expiry, Answered: q.answered, Extended: q.extended}
	}
	roll := callRoll{places: map[*call]int{}}
	if r.midRound {
		s.MidRound, s.Stop = true, r.stop
		for _, c := range r.running {
			s.Running = append(s.Running, roll.place(c))
		}
	}
	s.Ledger = r.ledger.state(&roll)
	s.Holdings, s.Stopped = r.holdings.state(), r.stopping.order
	s.Calls = roll.calls
	return s
}

// callRoll gives every call that is named one place.
type callRoll struct {
	calls  []callState
	places map[*call]int
}

func (l *callRoll) place(c *call) int {
	at, known := l.places[c]
	if !known {
		at = len(l.calls)
		l.places[c] = at
		l.calls = append(l.calls, callState{
			Call: c.Call, Kind: c.kind, Seen: c.seen, Outcome: c.outcome,
			Begun: c.begun, Joined: c.joined, Started: c.started, Update: c.update, Place: c.place,
		})
	}
	return at
}

func (h *holdings) state() holdingsState {
	s := holdingsState{Keepers: h.keepers}
	for _, a := range h.all {
		s.All = append(s.All, activationState{Location: a.Location, State: a.state, Failure: a.failure, Refused: a.refused, Gone: a.gone, Parting: a.parting})
	}
	return s
}

func (l *ledger) state(roll *callRoll) ledgerState {
	s := ledgerState{Spent: l.spent, Used: l.used}
	for _, a := range l.actions {
		s.Actions = append(s.Actions, actionState{
			ID: a.id, Call: roll.place(a.call), Status: a.status, Owner: a.owner,
			Lease: a.lease, Expiry: a.call.expiry, Digest: a.digest,
		})
	}
	for _, p := range l.approvals {
		s.Approvals = append(s.Approvals, approvalState{
			ID: p.id, Call: roll.place(p.call), Reason: p.reason, Settled: p.settled,
			Decided: p.decided, Approved: p.approved, Expiry: p.call.expiry,
		})
	}
	return s
}

func (r *report) state(items []json.RawMessage) reportState {
	s := reportState{
		Status: r.status, Model: r.model, Usage: r.usage, Cost: r.cost, LastError: r.lastError,
		Traces: r.traces, OldTraces: r.oldTraces, Changes: r.changes, Release: r.release, Warnings: r.warnings, Repeats: r.repeats,
		Sources: r.sources, LeftOut: r.outputLeftOut, Stored: r.stored,
	}
	places := make(map[string]int, len(items))
	for i, it := range items {
		places[string(it)] = i
	}
	for _, it := range r.output {
		if i, is := places[string(it)]; is {
			it = strconv.AppendInt(nil, int64(i), 10)
		}
		s.Output = append(s.Output, it)
	}
	return s
}
