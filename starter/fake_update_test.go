package starter

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/tools"
	"errand/workflows/contract"
)

// UpdateWorkflow answers the four updates the way that a run does.
func (f *fake) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	f.mu.Lock()
	f.updates = append(f.updates, o)
	attempt, down, fail := len(f.updates), f.down, f.fail
	f.mu.Unlock()
	if down { // the server holds it until somebody gives up
		<-ctx.Done()
		return nil, client.NewWorkflowUpdateServiceTimeoutOrCanceledError(ctx.Err())
	}
	if fail != nil {
		if err := fail(attempt); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kind == "" || f.isClosed() {
		return nil, serviceerror.NewNotFound("workflow not found")
	}
	receipt, err := f.handle(o)
	if err == nil {
		f.wake()
	}
	return fakeHandle{receipt: receipt, err: err}, nil
}

type fakeHandle struct {
	client.WorkflowUpdateHandle
	receipt contract.Receipt
	err     error
}

func (h fakeHandle) Get(_ context.Context, target any) error {
	if h.err != nil {
		return h.err
	}
	return value(h.receipt).Get(target)
}

func refusal(reason string) error { return temporal.NewApplicationError(reason, "Refused") }

func (f *fake) handle(o client.UpdateWorkflowOptions) (contract.Receipt, error) {
	switch o.UpdateName {
	case contract.ClaimAction:
		return f.claim(o.Args[0].(contract.Claim))
	case contract.ToolOutput:
		return f.settle(o.Args[0].(contract.Answer))
	case contract.SettleApproval:
		return f.settleApproval(o.Args[0].(contract.Approval))
	case contract.SendMessage:
		return contract.Receipt{ID: "message", Status: "queued"}, nil
	}
	return contract.Receipt{}, refusal("unknown update " + o.UpdateName)
}

func (f *fake) claim(c contract.Claim) (contract.Receipt, error) {
	action := f.action(c.ActionID)
	lease, err := time.ParseDuration(c.Lease)
	switch {
	case err != nil:
		return contract.Receipt{}, refusal("bad lease")
	case action == nil:
		return contract.Receipt{}, refusal("not open: " + c.ActionID)
	case action.Owner != "" && action.Owner != c.Owner && time.Now().Before(action.LeaseUntil):
		return contract.Receipt{}, refusal("claimed by " + action.Owner)
	}
	action.Owner, action.LeaseUntil, action.Status = c.Owner, time.Now().Add(lease), contract.ActionProcessing
	f.accept(contract.ClaimAction)
	return contract.Receipt{ID: c.ActionID, Status: string(contract.ActionProcessing)}, nil
}

func (f *fake) settle(a contract.Answer) (contract.Receipt, error) {
	at := slices.IndexFunc(f.actions, func(o contract.OpenAction) bool {
		return o.ActionID == a.ActionID || o.ToolCallID == a.ToolCallID
	})
	if at < 0 {
		return contract.Receipt{}, refusal("already settled: " + a.ActionID)
	}
	id := f.actions[at].ActionID
	f.actions = slices.Delete(f.actions, at, at+1)
	f.answers[id] = a
	round, _, _ := contract.Place(id)
	f.record(contract.Event{Type: contract.EventToolEnd, Round: round, Owner: tools.OwnedByClient, ToolCallID: callID(id)})
	f.accept(contract.ToolOutput)
	return contract.Receipt{ID: id, Status: string(contract.ActionCompleted)}, nil
}

func (f *fake) settleApproval(a contract.Approval) (contract.Receipt, error) {
	at := slices.IndexFunc(f.asked, func(o contract.OpenApproval) bool { return o.ApprovalRequestID == a.ApprovalRequestID })
	if at < 0 {
		return contract.Receipt{}, refusal("already settled: " + a.ApprovalRequestID)
	}
	f.asked = slices.Delete(f.asked, at, at+1)
	f.decided[a.ApprovalRequestID] = a
	f.record(contract.Event{Type: contract.EventToolStart})
	f.accept(contract.SettleApproval)
	return contract.Receipt{ID: a.ApprovalRequestID, Status: "approved"}, nil
}

// outputOf is the text that the model reads as the answer to an action.
func (f *fake) outputOf(actionID string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var text string
	if json.Unmarshal(f.answers[actionID].Output, &text) != nil {
		return string(f.answers[actionID].Output)
	}
	return text
}

// SignalWorkflow takes the nudges of updates that had no reply.
func (f *fake) SignalWorkflow(context.Context, string, string, string, any) error { return nil }
