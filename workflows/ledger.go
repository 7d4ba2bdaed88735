package workflows

import (
	"fmt"
	"time"

	"errand/activities"
	"errand/tools"
)

// ledger holds the actions and approvals of all rounds, so that late and
// repeated answers are known for what they are.
type ledger struct {
	actions   []*action
	approvals []*approval
	// spent counts the gateway-owned calls that were let through.
	spent int
}

// action is the record that one client-owned call was handed over.
type action struct {
	id     string
	call   *call
	status ActionStatus
	owner  string
	lease  time.Time
	expiry time.Time
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
	approved bool
	expiry   time.Time
}

// open adds the action of a call.
func (l *ledger) open(c *call, expiry time.Time) *action {
	a := &action{id: fmt.Sprintf("act_%d_%d", c.Round, c.Index), call: c, status: ActionPending, expiry: expiry}
	l.actions = append(l.actions, a)
	return a
}

// ask adds the approval of a call.
func (l *ledger) ask(c *call, reason string) *approval {
	p := &approval{id: fmt.Sprintf("apr_%d_%d", c.Round, c.Index), call: c, reason: reason}
	l.approvals = append(l.approvals, p)
	return p
}

// spend counts a call that was let through against max_tool_calls.
func (l *ledger) spend(c *call) {
	if c.tool.Owner == tools.OwnedByGateway {
		l.spent++
	}
}

// close finalises what a settled call has open.
func (l *ledger) close(c *call) {
	if c.approval != nil {
		c.approval.settled = true
	}
	if c.action == nil {
		return
	}
	c.action.owner, c.action.lease = "", time.Time{}
	switch c.outcome.Status {
	case tools.Succeeded:
		c.action.status = ActionCompleted
	case tools.Cancelled:
		c.action.status = ActionCancelled
	case tools.Expired:
		c.action.status = ActionExpired
	default:
		c.action.status = ActionFailed
	}
}

// waiting is true while a client or a person is waited for.
func (l *ledger) waiting() bool {
	for _, a := range l.actions {
		if !a.call.settled() {
			return true
		}
	}
	for _, p := range l.approvals {
		if !p.settled {
			return true
		}
	}
	return false
}

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
func (a *action) current(now time.Time) (status ActionStatus, owner string) {
	if a.status == ActionProcessing && !now.Before(a.lease) {
		return ActionPending, ""
	}
	return a.status, a.owner
}

func answerDigest(text string, isError bool) string {
	return activities.Digest(fmt.Appendf(nil, "%t:%s", isError, text))
}
