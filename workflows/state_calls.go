package workflows

import (
	"errand/activities/session"
	"fmt"
	"time"

	"errand/tools"
	"errand/workflows/contract"
)

// callState is a call. Its descriptor is found again by its name.
type callState struct {
	tools.Call
	Kind    string         `json:"kind,omitempty"`
	Seen    time.Time      `json:"seen,omitzero"`
	Begun   bool           `json:"begun,omitempty"`
	Joined  bool           `json:"joined,omitempty"`
	Started bool           `json:"started,omitempty"`
	Update  int            `json:"update,omitempty"`
	Place   int            `json:"place,omitempty"`
	Outcome *tools.Outcome `json:"outcome,omitempty"`
}

type holdingsState struct {
	All     []activationState `json:"all,omitempty"`
	Keepers int               `json:"keepers,omitempty"`
}

type activationState struct {
	session.Location
	State   contract.SessionStatus `json:"state"`
	Failure string                 `json:"failure,omitempty"`
	Refused bool                   `json:"refused,omitempty"`
	Gone    bool                   `json:"gone,omitempty"`
	Parting string                 `json:"parting,omitempty"`
}

type ledgerState struct {
	Actions   []actionState   `json:"actions,omitempty"`
	Approvals []approvalState `json:"approvals,omitempty"`
	Spent     int             `json:"spent,omitempty"`
	Used      map[string]int  `json:"used,omitempty"`
}

type actionState struct {
	ID     string                `json:"id"`
	Call   int                   `json:"call"`
	Status contract.ActionStatus `json:"status"`
	Owner  string                `json:"owner,omitempty"`
	Lease  time.Time             `json:"lease,omitzero"`
	// Expiry is that of the call.
	Expiry time.Time `json:"expiry,omitzero"`
	Digest string    `json:"digest,omitempty"`
}

type approvalState struct {
	ID       string    `json:"id"`
	Call     int       `json:"call"`
	Reason   string    `json:"reason,omitempty"`
	Settled  bool      `json:"settled,omitempty"`
	Decided  bool      `json:"decided,omitempty"`
	Approved bool      `json:"approved,omitempty"`
	Expiry   time.Time `json:"expiry,omitzero"` // of the call
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
