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
	"errand/workflows"
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
	receipt workflows.Receipt
	err     error
}

func (h fakeHandle) Get(_ context.Context, target any) error {
	if h.err != nil {
		return h.err
	}
	return value(h.receipt).Get(target)
}

func refusal(reason string) error { return temporal.NewApplicationError(reason, "Refused") }

func (f *fake) handle(o client.UpdateWorkflowOptions) (workflows.Receipt, error) {
	switch o.UpdateName {
	case workflows.ClaimAction:
		return f.claim(o.Args[0].(workflows.Claim))
	case workflows.ToolOutput:
		return f.settle(o.Args[0].(workflows.Answer))
	case workflows.SettleApproval:
		return f.settleApproval(o.Args[0].(workflows.Approval))
	case workflows.SendMessage:
		return workflows.Receipt{ID: "message", Status: "queued"}, nil
	}
	return workflows.Receipt{}, refusal("unknown update " + o.UpdateName)
}

func (f *fake) claim(c workflows.Claim) (workflows.Receipt, error) {
	action := f.action(c.ActionID)
	lease, err := time.ParseDuration(c.Lease)
	switch {
	case err != nil:
		return workflows.Receipt{}, refusal("bad lease")
	case action == nil:
		return workflows.Receipt{}, refusal("not open: " + c.ActionID)
	case action.Owner != "" && action.Owner != c.Owner && time.Now().Before(action.LeaseUntil):
		return workflows.Receipt{}, refusal("claimed by " + action.Owner)
	}
	action.Owner, action.LeaseUntil, action.Status = c.Owner, time.Now().Add(lease), workflows.ActionProcessing
	f.emit()
	return workflows.Receipt{ID: c.ActionID, Status: string(workflows.ActionProcessing)}, nil
}

func (f *fake) settle(a workflows.Answer) (workflows.Receipt, error) {
	at := slices.IndexFunc(f.actions, func(o workflows.OpenAction) bool {
		return o.ActionID == a.ActionID || o.ToolCallID == a.ToolCallID
	})
	if at < 0 {
		return workflows.Receipt{}, refusal("already settled: " + a.ActionID)
	}
	id := f.actions[at].ActionID
	f.actions = slices.Delete(f.actions, at, at+1)
	f.answers[id] = a
	round, _, _ := workflows.Place(id)
	f.emit(workflows.Event{Type: workflows.EventToolEnd, Round: round, Owner: tools.OwnedByClient, ToolCallID: callID(id)})
	return workflows.Receipt{ID: id, Status: string(workflows.ActionCompleted)}, nil
}

func (f *fake) settleApproval(a workflows.Approval) (workflows.Receipt, error) {
	at := slices.IndexFunc(f.asked, func(o workflows.OpenApproval) bool { return o.ApprovalRequestID == a.ApprovalRequestID })
	if at < 0 {
		return workflows.Receipt{}, refusal("already settled: " + a.ApprovalRequestID)
	}
	f.asked = slices.Delete(f.asked, at, at+1)
	f.decided[a.ApprovalRequestID] = a
	f.emit(workflows.Event{Type: workflows.EventToolStart})
	return workflows.Receipt{ID: a.ApprovalRequestID, Status: "approved"}, nil
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
