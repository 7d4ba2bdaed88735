package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Every message from outside is one of these kinds. A check decides without
// changing anything; its commit then cannot fail. An update's validator is the
// check alone, a signal runs both.
type commit func(ctx workflow.Context) contract.Receipt

// errEnding refuses what arrives while the run closes.
var errEnding = errors.New("the run is ending: nothing more is accepted")

// checkAnswer decides about a tool_output (PD-56, D23): the first outcome
// wins, an identical repeat is a no-op.
func (r *run) checkAnswer(_ workflow.Context, payload converter.RawValue) (commit, error) {
	a, text, err := readAnswer(payload.Payload().GetData())
	if err != nil {
		return nil, err
	}
	act, err := r.ledger.findAction(a.ActionID, a.Call())
	if err != nil {
		return nil, err
	}
	if want := item.OutputFor(act.call.kind); a.Type != "" && a.Type != want {
		return nil, fmt.Errorf("type: %q does not answer call %q: write %q", a.Type, act.call.ID, want)
	}
	digest := answerDigest(text, a.IsError)
	if act.call.settled() {
		if act.digest == digest {
			return func(workflow.Context) contract.Receipt {
				return contract.Receipt{ID: act.id, Status: string(act.status), Repeated: true}
			}, nil
		}
		return nil, fmt.Errorf("call %q is already settled (%s): the first outcome stays", act.call.ID, act.status)
	}
	if a.ActionID == "" {
		if err := r.ambiguous(act, digest); err != nil {
			return nil, err
		}
	}
	return func(ctx workflow.Context) contract.Receipt {
		act.digest = digest
		o := tools.Outcome{Status: tools.Succeeded}
		if a.IsError {
			o.Status, o.ErrorType = tools.Failed, tools.ErrExecutionFailed
		}
		o.Output, o.FullSize = tools.Cut(text, r.answerRoom(act.call))
		r.settle(ctx, act.call, o)
		return contract.Receipt{ID: act.id, Status: string(act.status)}
	}, nil
}

// ambiguous says why an answer that names no action may not be meant for the
// open one: models use an id again, and an earlier call with it has had this
// very answer. It may be that one's answer, delivered twice; or the new call's
// own. A guess would put a wrong answer into the conversation, or lose a right
// one, so whoever sent it is asked to be exact.
func (r *run) ambiguous(act *action, digest string) error {
	if earlier, found := r.ledger.answeredBy(act.call.ID, digest); found {
		return fmt.Errorf("tool_call_id %q names two calls, and %q was answered with the same: if %q is meant, give its action_id",
			act.call.ID, earlier.id, act.id)
	}
	return nil
}

// readAnswer reads a tool_output and the text of its output.
func readAnswer(data []byte) (contract.Answer, string, error) {
	var a contract.Answer
	if err := readObject(data, &a); err != nil {
		return a, "", err
	}
	switch {
	case a.ToolCallID == "" && a.CallID == "" && a.ActionID == "":
		return a, "", errors.New("tool_call_id: required (or action_id)")
	case a.ToolCallID != "" && a.CallID != "" && a.ToolCallID != a.CallID:
		return a, "", errors.New("tool_call_id and call_id differ: give one")
	case len(a.Output) == 0:
		return a, "", errors.New("output: required: text, or any JSON")
	}
	var text string
	if json.Unmarshal(a.Output, &text) != nil || string(a.Output) == "null" {
		text = string(a.Output)
	}
	return a, text, nil
}

// maxOwner bounds the name of who takes an action.
const maxOwner = 300

// checkClaim decides about a claim. The owner renews by claiming again.
func (r *run) checkClaim(ctx workflow.Context, payload converter.RawValue) (commit, error) {
	var c contract.Claim
	if err := readObject(payload.Payload().GetData(), &c); err != nil {
		return nil, err
	}
	lease, err := time.ParseDuration(c.Lease)
	switch {
	case c.ActionID == "":
		return nil, errors.New("action_id: required")
	case strings.TrimSpace(c.Owner) == "":
		return nil, errors.New("owner: required: who takes the action")
	case len(c.Owner) > maxOwner:
		return nil, fmt.Errorf("owner: has %d bytes, at most %d are taken", len(c.Owner), maxOwner)
	case err != nil || lease <= 0:
		return nil, fmt.Errorf(`lease: %q is not a positive duration: write for example "30s"`, c.Lease)
	}
	lease = min(lease, tools.MaxDuration)
	act, err := r.ledger.findAction(c.ActionID, "")
	if err != nil {
		return nil, err
	}
	status, owner := act.current(workflow.Now(ctx))
	switch {
	case act.call.settled():
		return nil, fmt.Errorf("action %q is already settled (%s)", act.id, act.status)
	case status == contract.ActionProcessing && owner != c.Owner:
		return nil, fmt.Errorf("action %q is claimed by %q until %s", act.id, owner, act.lease.Format(time.RFC3339))
	}
	return func(ctx workflow.Context) contract.Receipt {
		act.status, act.owner, act.lease = contract.ActionProcessing, c.Owner, workflow.Now(ctx).Add(lease).UTC()
		r.showDetails(ctx)
		return contract.Receipt{ID: act.id, Status: string(act.status)}
	}, nil
}

// checkApproval decides about an answer to an approval request.
func (r *run) checkApproval(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var a contract.Approval
	if err := readObject(payload.Payload().GetData(), &a); err != nil {
		return nil, err
	}
	switch {
	case a.ApprovalRequestID == "":
		return nil, errors.New("approval_request_id: required")
	case a.Approve == nil:
		return nil, errors.New("approve: required: true or false")
	}
	p, err := r.ledger.findApproval(a.ApprovalRequestID)
	if err != nil {
		return nil, err
	}
	if p.settled && !p.decided {
		return nil, fmt.Errorf("approval %q has ended without an answer: its call expired or was cancelled", p.id)
	}
	if p.settled {
		if p.approved == *a.Approve {
			return func(workflow.Context) contract.Receipt {
				return contract.Receipt{ID: p.id, Status: verdict(p.approved), Repeated: true}
			}, nil
		}
		return nil, fmt.Errorf("approval %q is already settled (%s): the first answer stays", p.id, verdict(p.approved))
	}
	return func(ctx workflow.Context) contract.Receipt {
		r.ledger.answered(p)
		p.decided, p.approved = true, *a.Approve
		r.record(ctx, contract.Event{
			Type: contract.EventApprovalSettled, ToolCallID: p.call.ID, Tool: p.call.Tool, ApprovalID: p.id,
			Status: verdict(p.approved), Actor: short(a.Actor), Reason: short(a.Reason),
		})
		if !p.approved {
			o := tools.Fail(tools.Denied, tools.ErrBlocked, denial(a))
			r.settle(ctx, p.call, o)
		}
		r.refresh(ctx)
		return contract.Receipt{ID: p.id, Status: verdict(p.approved)}
	}, nil
}

func verdict(approved bool) string {
	if approved {
		return "approved"
	}
	return "denied"
}

func denial(a contract.Approval) string {
	text := "the call was denied"
	if a.Actor != "" {
		text += " by " + a.Actor
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return short(text)
}

// readObject decodes a payload, and says which field has the wrong type.
func readObject(data []byte, target any) error {
	if _, ok := tools.Object(data); !ok {
		return errors.New("the payload must be one JSON object")
	}
	err := json.Unmarshal(data, target)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%s: must not be %s", wrong.Field, wrong.Value)
	}
	return err
}
