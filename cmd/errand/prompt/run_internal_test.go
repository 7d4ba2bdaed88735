package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"

	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

// fakeRun is a run that ends when its last call and approval are settled.
type fakeRun struct {
	mu        sync.Mutex
	report    contract.StatusReport
	events    []contract.Event
	moved     chan struct{}
	answers   []contract.Answer
	approvals []contract.Approval
	// refuse is what every answer and approval gets.
	refuse error
	result contract.Result
}

func newFakeRun() *fakeRun {
	r := &fakeRun{moved: make(chan struct{})}
	r.report.RunID, r.report.Status = "run_1", contract.PendingAction
	r.result = contract.Result{ID: "run_1", Object: "response", Status: contract.Completed, OutputText: "done"}
	r.add(contract.Event{Type: contract.EventRunStart})
	return r
}

// call opens a call of a client's tool.
func (r *fakeRun) call(tool, arguments string) *fakeRun {
	n := len(r.report.Actions)
	m := contract.Manifest{
		Type: contract.ManifestType, RunID: "run_1", ActionID: fmt.Sprintf("act_1_%d", n),
		ToolCallID: fmt.Sprintf("call_%d", n), Tool: tool, Args: json.RawMessage(arguments),
	}
	r.report.Actions = append(r.report.Actions, contract.OpenAction{Manifest: m, Status: contract.ActionPending})
	r.add(contract.Event{Type: contract.EventManifest, Tool: tool, ToolCallID: m.ToolCallID, ActionID: m.ActionID})
	return r
}

// approval opens an approval request.
func (r *fakeRun) approval(id, tool string) *fakeRun {
	r.report.Approvals = append(r.report.Approvals, contract.OpenApproval{ApprovalRequestID: id, Tool: tool, ToolCallID: "call_" + id, Args: json.RawMessage("{}")})
	r.add(contract.Event{Type: contract.EventApprovalAsked, Tool: tool, ApprovalID: id})
	return r
}

// add records an event and wakes who follows. Hold mu, or be alone.
func (r *fakeRun) add(e contract.Event) {
	e.Seq = len(r.events) + 1
	r.events = append(r.events, e)
	close(r.moved)
	r.moved = make(chan struct{})
}

// settled ends the run when nothing is open. Hold mu.
func (r *fakeRun) settled(id string) {
	r.add(contract.Event{Type: contract.EventToolEnd, ToolCallID: id, Status: "succeeded"})
	if len(r.report.Actions)+len(r.report.Approvals) == 0 {
		r.end(contract.Completed)
	}
}

func (r *fakeRun) end(status contract.Status) {
	r.report.Status, r.result.Status = status, status
	r.add(contract.Event{Type: contract.EventRunEnd, Status: string(status)})
}

// elsewhere settles everything as some other process would.
func (r *fakeRun) elsewhere() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Actions, r.report.Approvals = nil, nil
	r.settled("all")
}

func (r *fakeRun) ID() string { return "run_1" }

func (r *fakeRun) Follow(ctx context.Context, after int) iter.Seq2[contract.Event, error] {
	return func(yield func(contract.Event, error) bool) {
		for {
			r.mu.Lock()
			fresh, moved := slices.Clone(r.events[after:]), r.moved
			r.mu.Unlock()
			for _, e := range fresh {
				after = e.Seq
				if !yield(e, nil) || e.Type == contract.EventRunEnd {
					return
				}
			}
			select {
			case <-ctx.Done():
				yield(contract.Event{}, ctx.Err())
				return
			case <-moved:
			}
		}
	}
}

func (r *fakeRun) Status(context.Context) (contract.StatusReport, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report := r.report
	report.Actions, report.Approvals = slices.Clone(r.report.Actions), slices.Clone(r.report.Approvals)
	return report, nil
}

func (r *fakeRun) Answer(_ context.Context, answer contract.Answer) (contract.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(r.answers, answer)
	if r.refuse != nil {
		return contract.Receipt{}, r.refuse
	}
	at := slices.IndexFunc(r.report.Actions, func(a contract.OpenAction) bool { return a.ActionID == answer.ActionID })
	id := r.report.Actions[at].ToolCallID
	r.report.Actions = slices.Delete(r.report.Actions, at, at+1)
	r.settled(id)
	return contract.Receipt{ID: answer.ActionID, Status: "completed"}, nil
}

func (r *fakeRun) Approve(_ context.Context, approval contract.Approval) (contract.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.approvals = append(r.approvals, approval)
	if r.refuse != nil {
		return contract.Receipt{}, r.refuse
	}
	r.report.Approvals = slices.DeleteFunc(r.report.Approvals, func(a contract.OpenApproval) bool { return a.ApprovalRequestID == approval.ApprovalRequestID })
	r.settled(approval.ApprovalRequestID)
	return contract.Receipt{ID: approval.ApprovalRequestID, Status: "approved"}, nil
}

// Serve answers what it has a handler for, once.
func (r *fakeRun) Serve(ctx context.Context, handlers starter.Handlers, _ ...starter.ServeOption) error {
	report, _ := r.Status(ctx)
	for _, a := range report.Actions {
		handler, served := handlers[a.Tool]
		if !served {
			continue
		}
		output, err := handler(ctx, starter.Call{Manifest: a.Manifest, Key: tools.Key("run_1", 1, 0)})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		answer := starter.Output(a.ActionID, output)
		if err != nil {
			answer = starter.Failure(a.ActionID, err.Error())
		}
		if _, err := r.Answer(ctx, answer); err != nil {
			return err
		}
	}
	return nil
}

func (r *fakeRun) Cancel(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Actions, r.report.Approvals = nil, nil
	r.end(contract.Cancelled)
	return nil
}

func (r *fakeRun) Result(context.Context) (*contract.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := r.result
	if result.Status == contract.Cancelled {
		return &result, starter.ErrCancelled
	}
	return &result, nil
}
