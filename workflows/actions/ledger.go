package actions

import (
	"fmt"
	"slices"
	"time"

	"errand/tools"
	"errand/workflows/contract"
)

// Ledger holds the actions and approvals of all rounds, so that late and
// repeated answers are known for what they are.
type Ledger struct {
	Actions   []*Action   `json:"actions,omitempty"`
	Approvals []*Approval `json:"approvals,omitempty"`
	// Spent counts the gateway-owned calls that were let through, Used those of
	// tools with a bound of their own by identity.
	Spent int            `json:"spent,omitempty"`
	Used  map[string]int `json:"used,omitempty"`
	// open are the actions that are not settled, asked the approvals.
	open  []*Action
	asked []*Approval
}

// Action is the record that one client-owned call was handed over.
type Action struct {
	ID         string                `json:"id"`
	ToolCallID string                `json:"tool_call_id"`
	Kind       string                `json:"kind,omitempty"` // of the call
	Status     contract.ActionStatus `json:"status"`
	Owner      string                `json:"owner,omitempty"`
	Lease      time.Time             `json:"lease,omitzero"`
	// Digest is that of the answer that settled it; empty when none did.
	Digest string `json:"digest,omitempty"`
	call   *Call
}

// Approval is a question to a person.
type Approval struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
	// Settled is true once there is an answer, or the call has ended without.
	Settled bool `json:"settled,omitempty"`
	// Decided is true once somebody has answered; Approved is what.
	Decided  bool `json:"decided,omitempty"`
	Approved bool `json:"approved,omitempty"`
	call     *Call
}

// Call is the call that was handed over; nil once the action is settled.
func (a *Action) Call() *Call { return a.call }

// Call is the call that was asked about; nil once the approval is settled.
func (p *Approval) Call() *Call { return p.call }

// Settled tells whether the call of the action has its outcome.
func (a *Action) Settled() bool {
	return a.Status != contract.ActionPending && a.Status != contract.ActionProcessing
}

// Current is the status of an action at a time, and who has claimed it: a lease
// that has run out returns it to pending.
func (a *Action) Current(now time.Time) (status contract.ActionStatus, owner string) {
	if a.Status == contract.ActionProcessing && !now.Before(a.Lease) {
		return contract.ActionPending, ""
	}
	return a.Status, a.Owner
}

// Verdict is what was answered, in words.
func (p *Approval) Verdict() string {
	if p.Approved {
		return "approved"
	}
	return "denied"
}

// Open opens the action of a call.
func (l *Ledger) Open(c *Call) *Action { return l.OpenAs(contract.ActionID(c.Round, c.Index), c) }

// OpenAs opens the action of a call under an id of its own.
func (l *Ledger) OpenAs(id string, c *Call) *Action {
	c.Action = &Action{ID: id, ToolCallID: c.ID, Kind: c.Kind, Status: contract.ActionPending, call: c}
	l.Actions, l.open = append(l.Actions, c.Action), append(l.open, c.Action)
	return c.Action
}

// Ask opens the approval of a call.
func (l *Ledger) Ask(c *Call, reason string) *Approval {
	c.Approval = &Approval{ID: contract.ApprovalID(c.Round, c.Index), Reason: reason, call: c}
	l.Approvals, l.asked = append(l.Approvals, c.Approval), append(l.asked, c.Approval)
	return c.Approval
}

// Spend counts a call that was let through against the budgets.
func (l *Ledger) Spend(c *Call) {
	if c.Descriptor.Owner != tools.OwnedByGateway {
		return
	}
	l.Spent++
	if c.Descriptor.MaxUses > 0 {
		if l.Used == nil {
			l.Used = map[string]int{}
		}
		l.Used[c.Descriptor.Identity().String()]++
	}
}

// Settle gives a call its outcome and closes what it has open. The first outcome
// stays: false when there is one.
func (l *Ledger) Settle(c *Call, o tools.Outcome) bool {
	if c.Settled() {
		return false
	}
	c.Outcome = &o
	if c.Asked() {
		l.close(c.Approval)
	}
	if a := c.Action; a != nil {
		l.open = slices.DeleteFunc(l.open, func(other *Action) bool { return other == a })
		a.Status, a.Owner, a.Lease, a.call = settledStatus(o.Status), "", time.Time{}, nil
	}
	return true
}

func settledStatus(s tools.OutcomeStatus) contract.ActionStatus {
	switch s {
	case tools.Succeeded:
		return contract.ActionCompleted
	case tools.Cancelled:
		return contract.ActionCancelled
	case tools.Expired:
		return contract.ActionExpired
	default:
		return contract.ActionFailed
	}
}

// Decide closes an approval with somebody's answer.
func (l *Ledger) Decide(p *Approval, approved bool) {
	l.close(p)
	p.Decided, p.Approved = true, approved
}

func (l *Ledger) close(p *Approval) {
	p.Settled, p.call = true, nil
	l.asked = slices.DeleteFunc(l.asked, func(other *Approval) bool { return other == p })
}

// OpenActions are the actions that are not settled, in the order they were
// opened. It is valid until one of them is.
func (l *Ledger) OpenActions() []*Action { return l.open }

// OpenApprovals are the approvals without an answer, likewise.
func (l *Ledger) OpenApprovals() []*Approval { return l.asked }

// Pending counts what a client or a person is waited for with.
func (l *Ledger) Pending() int { return len(l.open) + len(l.asked) }

// Connect ties the actions and approvals of a decoded ledger to the calls of the
// running batch again. What is open belongs to one of them: ids name the place of
// a call. Anything else was not written by a run.
func (l *Ledger) Connect(running Batch) error {
	actions, approvals := make(map[string]*Call, len(running)), make(map[string]*Call, len(running))
	for _, c := range running {
		actions[contract.ActionID(c.Round, c.Index)] = c
		approvals[contract.ApprovalID(c.Round, c.Index)] = c
	}
	l.open, l.asked = nil, nil
	for _, a := range l.Actions {
		c := actions[a.ID]
		if c != nil {
			c.Action = a
		}
		if a.Settled() {
			continue
		}
		if c == nil || c.Settled() {
			return fmt.Errorf("action %q is open and no open call has it", a.ID)
		}
		a.call, l.open = c, append(l.open, a)
	}
	for _, p := range l.Approvals {
		c := approvals[p.ID]
		if c != nil {
			c.Approval = p
		}
		if p.Settled {
			continue
		}
		if c == nil || c.Settled() {
			return fmt.Errorf("approval %q is open and no open call has it", p.ID)
		}
		p.call, l.asked = c, append(l.asked, p)
	}
	return nil
}
