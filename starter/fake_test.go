package starter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"errand/workflows/contract"
)

// fake is a Temporal server with one run on it: enough of both for a client of
// this package. Methods that it does not have are nil and panic.
type fake struct {
	client.Client

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change

	kind    string
	closed  enumspb.WorkflowExecutionStatus
	history [][]*historypb.HistoryEvent // one list an execution
	events  []contract.Event
	done    bool // the last event is there
	actions []contract.OpenAction
	asked   []contract.OpenApproval
	room    int // how many actions fit in a report, if not all
	answers map[string]contract.Answer
	decided map[string]contract.Approval

	// down makes every question to a worker fail; deaf makes long polls miss
	// everything until they are opened again; broken makes them fail.
	down, deaf, broken bool

	queries map[string]int
	looks   int
	updates []client.UpdateWorkflowOptions
	// fail is asked before every update, with the number of the attempt.
	fail   func(attempt int) error
	ending func() (any, error)
}

func newFake() *fake {
	return &fake{
		kind: contract.TypeRun, closed: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
		changed: make(chan struct{}), history: [][]*historypb.HistoryEvent{{}},
		queries: map[string]int{}, answers: map[string]contract.Answer{}, decided: map[string]contract.Approval{},
	}
}

func (f *fake) run() *Run { return New(f).Attach("run_1") }

// do changes the fake and wakes whoever waits for it.
func (f *fake) do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.wake()
}

func (f *fake) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// emit records events, as one workflow task does that an activity brings about.
// f.mu is held.
func (f *fake) emit(events ...contract.Event) {
	f.record(events...)
	f.task([]*historypb.HistoryEvent{{EventType: enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED}})
}

func (f *fake) record(events ...contract.Event) {
	for _, e := range events {
		e.Seq = len(f.events) + 1
		f.events = append(f.events, e)
		f.done = f.done || e.Type == contract.EventRunEnd
	}
}

func (f *fake) happen(types ...contract.EventType) {
	f.do(func() {
		for _, t := range types {
			f.emit(contract.Event{Type: t})
		}
	})
}

func openAction(actionID, tool string) contract.OpenAction {
	return contract.OpenAction{
		Manifest: contract.Manifest{
			Type: contract.ManifestType, RunID: "run_1", ActionID: actionID,
			ToolCallID: "call_" + actionID, Tool: tool, Args: json.RawMessage(`{"n":1}`),
		},
		Status: contract.ActionPending,
	}
}

// open hands a call over to the client.
func (f *fake) open(actionID, tool string) {
	f.do(func() {
		f.actions = append(f.actions, openAction(actionID, tool))
		f.emit(contract.Event{Type: contract.EventManifest, ActionID: actionID, Tool: tool})
	})
}

func (f *fake) close(status enumspb.WorkflowExecutionStatus) {
	f.do(func() {
		f.closed = status
		if status != enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED && status != enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT {
			f.emit(contract.Event{Type: contract.EventRunEnd, Status: string(statusOf(status))})
		}
	})
}

// continueAsNew ends the execution and begins the next of the same run.
func (f *fake) continueAsNew() { f.do(func() { f.history = append(f.history, nil) }) }

func (f *fake) action(id string) *contract.OpenAction {
	at := slices.IndexFunc(f.actions, func(a contract.OpenAction) bool { return a.ActionID == id })
	if at < 0 {
		return nil
	}
	return &f.actions[at]
}

func (f *fake) isClosed() bool { return f.closed != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING }

func (f *fake) DescribeWorkflow(ctx context.Context, _, _ string) (*client.WorkflowExecutionDescription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	if f.kind == "" {
		return nil, serviceerror.NewNotFound("workflow not found")
	}
	found := &client.WorkflowExecutionDescription{}
	found.WorkflowType.Name, found.Status = f.kind, f.closed
	found.WorkflowExecution.RunID = fmt.Sprint("execution ", len(f.history))
	found.HistoryLength = len(f.history[len(f.history)-1])
	return found, ctx.Err()
}

func (f *fake) QueryWorkflow(ctx context.Context, _, _, name string, args ...any) (converter.EncodedValue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queries[name]++
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case f.kind == "":
		return nil, serviceerror.NewNotFound("workflow not found")
	case f.down:
		return nil, serviceerror.NewFailedPrecondition("no poller seen")
	case name == contract.QueryStatus:
		return value(f.report()), nil
	case name == contract.QueryEvents:
		return value(f.page(args[0].(contract.EventsQuery))), nil
	}
	return nil, serviceerror.NewQueryFailed("unknown queryType " + name)
}

func (f *fake) report() contract.StatusReport {
	report := contract.StatusReport{
		RunID: "run_1", Status: contract.InProgress, Events: len(f.events),
		Actions: slices.Clone(f.actions), Approvals: slices.Clone(f.asked),
	}
	if f.isClosed() {
		report.Status = statusOf(f.closed)
	}
	if f.room > 0 && len(report.Actions) > f.room {
		report.ActionsLeftOut = len(report.Actions) - f.room
		report.Actions = report.Actions[:f.room]
	}
	return report
}

func (f *fake) page(q contract.EventsQuery) contract.EventsPage {
	from := min(q.After, len(f.events))
	to := min(from+q.Limit, len(f.events))
	return contract.EventsPage{
		Events: slices.Clone(f.events[from:to]), Next: to, Done: f.done && to == len(f.events),
	}
}

func (f *fake) CancelWorkflow(context.Context, string, string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kind == "" || f.isClosed() {
		return serviceerror.NewNotFound("workflow not found")
	}
	return nil
}

// value is v as it comes over the wire.
func value(v any) converter.EncodedValue {
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(v)
	if err != nil {
		panic(err)
	}
	return client.NewValue(payloads)
}

func (f *fake) count(query string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[query]
}

// pass lets a while of the bubble's time go by, and everything that is due
// happen. What the test has read so far counts as read before.
func (f *fake) pass(d time.Duration) {
	f.do(func() {})
	<-time.After(d)
	synctest.Wait()
}

func callID(actionID string) string { return fmt.Sprintf("call_%s", actionID) }
