package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Every check here decides and changes nothing.

// Answer is a tool_output that was read.
type Answer struct {
	contract.Answer
	// Text is what the model will read.
	Text   string
	digest string
}

// ReadAnswer reads a tool_output: the text of its output, and what is wrong
// with it.
func ReadAnswer(a contract.Answer) (Answer, error) {
	switch {
	case a.ToolCallID == "" && a.CallID == "" && a.ActionID == "":
		return Answer{}, errors.New("tool_call_id: required (or action_id)")
	case a.ToolCallID != "" && a.CallID != "" && a.ToolCallID != a.CallID:
		return Answer{}, errors.New("tool_call_id and call_id differ: give one")
	case len(a.Output) == 0:
		return Answer{}, errors.New("output: required: text, or any JSON")
	}
	var text string
	if json.Unmarshal(a.Output, &text) != nil || string(a.Output) == "null" {
		text = string(a.Output)
	}
	return Answer{Answer: a, Text: text, digest: item.Digest(fmt.Appendf(nil, "%t:%s", a.IsError, text))}, nil
}

// CheckAnswer finds the action that an answer settles. The first outcome wins:
// an identical repeat is told so, and changes nothing.
func (l *Ledger) CheckAnswer(a Answer) (act *Action, repeated bool, err error) {
	act, err = l.Find(a.ActionID, a.Call())
	if err != nil {
		return nil, false, err
	}
	if want := item.OutputFor(act.Kind); a.Type != "" && a.Type != want {
		return nil, false, fmt.Errorf("type: %q does not answer call %q: write %q", a.Type, act.ToolCallID, want)
	}
	if act.Settled() {
		if act.Digest == a.digest {
			return act, true, nil
		}
		return nil, false, fmt.Errorf("call %q is already settled (%s): the first outcome stays", act.ToolCallID, act.Status)
	}
	if a.ActionID == "" {
		err = l.ambiguous(act, a.digest)
	}
	return act, false, err
}

// ambiguous says why an answer that names no action may not be meant for the
// open one: models use an id again, and an earlier call with it has had this
// very answer. It may be that one's answer, delivered twice; or the new call's
// own. A guess would put a wrong answer into the conversation, or lose a right
// one, so whoever sent it is asked to be exact.
func (l *Ledger) ambiguous(act *Action, digest string) error {
	for _, earlier := range l.Actions {
		if earlier.ToolCallID == act.ToolCallID && earlier.Settled() && earlier.Digest == digest {
			return fmt.Errorf("tool_call_id %q names two calls, and %q was answered with the same: if %q is meant, give its action_id",
				act.ToolCallID, earlier.ID, act.ID)
		}
	}
	return nil
}

// Take notes which answer settles an action, so that it is known when it comes
// again.
func (a *Action) Take(answer Answer) { a.Digest = answer.digest }

// Find is the action that an answer names. A tool_call_id is unique in its round
// only: an open call comes before a settled one, a later one before an earlier.
func (l *Ledger) Find(actionID, callID string) (*Action, error) {
	var found *Action
	for _, a := range l.Actions {
		if (actionID != "" && a.ID != actionID) || (callID != "" && a.ToolCallID != callID) {
			continue
		}
		if found == nil || found.Settled() {
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

// maxOwner bounds the name of who takes an action, in bytes.
const maxOwner = 300

// CheckClaim finds the action that a claim takes, and for how long. The owner
// renews by claiming again.
func (l *Ledger) CheckClaim(c contract.Claim, now time.Time) (*Action, time.Duration, error) {
	lease, err := time.ParseDuration(c.Lease)
	switch {
	case c.ActionID == "":
		return nil, 0, errors.New("action_id: required")
	case strings.TrimSpace(c.Owner) == "":
		return nil, 0, errors.New("owner: required: who takes the action")
	case len(c.Owner) > maxOwner:
		return nil, 0, fmt.Errorf("owner: has %d bytes, at most %d are taken", len(c.Owner), maxOwner)
	case err != nil || lease <= 0:
		return nil, 0, fmt.Errorf(`lease: %q is not a positive duration: write for example "30s"`, c.Lease)
	}
	act, err := l.Find(c.ActionID, "")
	if err != nil {
		return nil, 0, err
	}
	status, owner := act.Current(now)
	switch {
	case act.Settled():
		return nil, 0, fmt.Errorf("action %q is already settled (%s)", act.ID, act.Status)
	case status == contract.ActionProcessing && owner != c.Owner:
		return nil, 0, fmt.Errorf("action %q is claimed by %q until %s", act.ID, owner, act.Lease.Format(time.RFC3339))
	}
	return act, min(lease, tools.MaxDuration), nil
}

// Claim gives an action to an owner until the lease ends.
func (a *Action) Claim(owner string, until time.Time) {
	a.Status, a.Owner, a.Lease = contract.ActionProcessing, owner, until.UTC()
}

// CheckApproval finds the approval that an answer settles. The first answer
// stays: an identical repeat is told so, and changes nothing.
func (l *Ledger) CheckApproval(a contract.Approval) (p *Approval, repeated bool, err error) {
	switch {
	case a.ApprovalRequestID == "":
		return nil, false, errors.New("approval_request_id: required")
	case a.Approve == nil:
		return nil, false, errors.New("approve: required: true or false")
	}
	for _, known := range l.Approvals {
		if known.ID == a.ApprovalRequestID {
			p = known
		}
	}
	switch {
	case p == nil:
		return nil, false, fmt.Errorf("unknown approval_request_id %q", a.ApprovalRequestID)
	case !p.Settled:
		return p, false, nil
	case !p.Decided:
		return nil, false, fmt.Errorf("approval %q has ended without an answer: its call expired or was cancelled", p.ID)
	case p.Approved == *a.Approve:
		return p, true, nil
	}
	return nil, false, fmt.Errorf("approval %q is already settled (%s): the first answer stays", p.ID, p.Verdict())
}
