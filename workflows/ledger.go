package workflows

import (
	"fmt"
	"slices"
	"time"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// ledger holds the actions and approvals of all rounds, so that late and
// repeated answers are known for what they are.
type ledger struct {
	actions   []*action
	approvals []*approval
	// open are the actions whose call is not settled, asked the approvals.
	open  []*action
	asked []*approval
	// spent counts the gateway-owned calls that were let through, used those of
	// tools with a bound of their own by identity.
	spent int
	used  map[string]int
}

// action is the record that one client-owned call was handed over.
type action struct {
	id     string
	call   *call
	status contract.ActionStatus
	owner  string
	lease  time.Time
	// digest is that of the answer that settled it.
	digest string
}

// approval is a question to a person.
type approval struct {
	id     string
	call   *call
	reason string
	// settled is true once there is an answer, or the call has ended without.
	settled  bool
	decided  bool // by somebody's answer, which approved holds
	approved bool
}

// hand adds the action of a call.
func (l *ledger) hand(c *call) *action {
	a := &action{id: contract.ActionID(c.Round, c.Index), call: c, status: contract.ActionPending}
	l.actions, l.open = append(l.actions, a), append(l.open, a)
	return a
}

// ask adds the approval of a call.
func (l *ledger) ask(c *call, reason string) *approval {
	p := &approval{id: contract.ApprovalID(c.Round, c.Index), call: c, reason: reason}
	l.approvals, l.asked = append(l.approvals, p), append(l.asked, p)
	return p
}

// spend counts a call that was let through against the budgets.
func (l *ledger) spend(c *call) {
	if c.tool.Owner != tools.OwnedByGateway {
		return
	}
	l.spent++
	if c.tool.MaxUses > 0 {
		if l.used == nil {
			l.used = map[string]int{}
		}
		l.used[c.tool.Identity().String()]++
	}
}

// close finalises what a settled call has open.
func (l *ledger) close(c *call) {
	if c.approval != nil {
		l.answered(c.approval)
	}
	if c.action == nil {
		return
	}
	l.open = slices.DeleteFunc(l.open, func(a *action) bool { return a == c.action })
	c.action.owner, c.action.lease = "", time.Time{}
	switch c.outcome.Status {
	case tools.Succeeded:
		c.action.status = contract.ActionCompleted
	case tools.Cancelled:
		c.action.status = contract.ActionCancelled
	case tools.Expired:
		c.action.status = contract.ActionExpired
	default:
		c.action.status = contract.ActionFailed
	}
}

// answered closes an approval.
func (l *ledger) answered(p *approval) {
	p.settled = true
	l.asked = slices.DeleteFunc(l.asked, func(q *approval) bool { return q == p })
}

// pending counts what a client or a person is waited for with.
func (l *ledger) pending() int { return len(l.open) + len(l.asked) }

// findAction finds the action that an answer names. A tool_call_id is unique
// in its round only: an open call comes before a settled one, a later one
// before an earlier.
func (l *ledger) findAction(actionID, callID string) (*action, error) {
	var found *action
	for _, a := range l.actions {
		if (actionID != "" && a.id != actionID) || (callID != "" && a.call.ID != callID) {
			continue
		}
		if found == nil || found.call.settled() {
			found = a
		}
	}
	switch {
	case found != nil:
		return found, nil
	case actionID != "" && callID != "":
		return nil, fmt.Errorf("no action %q with tool_call_id %q: the two ids must name the same call", actionID, callID)
	case actionID != "":
		return nil, fmt.Errorf("unknown action_id %q", actionID)
	}
	return nil, fmt.Errorf("unknown tool_call_id %q: no client-owned call has it", callID)
}

// answeredBy finds the settled action of an earlier call with this id whose
// answer was the same.
func (l *ledger) answeredBy(callID, digest string) (*action, bool) {
	for _, a := range l.actions {
		if a.call.ID == callID && a.call.settled() && a.digest == digest {
			return a, true
		}
	}
	return nil, false
}

func (l *ledger) findApproval(id string) (*approval, error) {
	for _, p := range l.approvals {
		if p.id == id {
			return p, nil
		}
	}
	return nil, fmt.Errorf("unknown approval_request_id %q", id)
}

// current is the status of an action at a time: a lease that has run out
// returns it to pending.
func (a *action) current(now time.Time) (status contract.ActionStatus, owner string) {
	if a.status == contract.ActionProcessing && !now.Before(a.lease) {
		return contract.ActionPending, ""
	}
	return a.status, a.owner
}

func answerDigest(text string, isError bool) string {
	return item.Digest(fmt.Appendf(nil, "%t:%s", isError, text))
}
