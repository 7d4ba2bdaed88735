package starter

import (
	"context"
	"errors"
	"slices"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"

	"errand/workflows/contract"
)

var errSettledElsewhere = errors.New("settled by somebody else")

// openCalls is the calls and approvals of a run, by action id and approval id:
// what is open, what is being worked on, what is to be left alone, for ever or
// until some time. One goroutine uses it.
type openCalls struct {
	owner  string
	report StatusReport
	// working has the cancel function of everything under way, calls counts
	// the calls among them.
	working map[string]context.CancelCauseFunc
	calls   int
	off     map[string]bool
	until   map[string]time.Time
}

func newOpenCalls(owner string) *openCalls {
	return &openCalls{
		owner: owner, working: map[string]context.CancelCauseFunc{},
		off: map[string]bool{}, until: map[string]time.Time{},
	}
}

// update takes a new report: what is not open any more is forgotten, and work
// on it is stopped.
func (o *openCalls) update(report StatusReport) {
	o.report = report
	open := map[string]bool{}
	for _, a := range report.Actions {
		open[a.ActionID] = true
	}
	for _, a := range report.Approvals {
		open[a.ApprovalRequestID] = true
	}
	if report.ActionsLeftOut > 0 { // what is missing may be open nevertheless
		return
	}
	for id, cancel := range o.working {
		if !open[id] {
			cancel(errSettledElsewhere)
		}
	}
	for id := range o.off {
		if !open[id] {
			delete(o.off, id)
		}
	}
	for id := range o.until {
		if !open[id] {
			delete(o.until, id)
		}
	}
}

// cancel stops all work.
func (o *openCalls) cancel(why error) {
	for _, cancel := range o.working {
		cancel(why)
	}
}

// forget drops what is to be left alone.
func (o *openCalls) forget() {
	clear(o.off)
	clear(o.until)
}

// begin notes that work on id is under way.
func (o *openCalls) begin(id string, call bool, cancel context.CancelCauseFunc) {
	o.working[id] = cancel
	if call {
		o.calls++
	}
}

// end notes how it went.
func (o *openCalls) end(f finished, now time.Time) {
	delete(o.working, f.id)
	if f.call {
		o.calls--
	}
	if f.off {
		o.off[f.id] = true
	} else {
		o.until[f.id] = now.Add(f.pause)
	}
}

// nextAction is the first call that may be taken now.
func (o *openCalls) nextAction(now time.Time) (OpenAction, bool) {
	for _, a := range o.report.Actions {
		if !o.busy(a.ActionID) && !now.Before(o.free(a)) {
			return a, true
		}
	}
	return OpenAction{}, false
}

// nextApproval is the first approval that may be asked about now.
func (o *openCalls) nextApproval(now time.Time) (OpenApproval, bool) {
	for _, a := range o.report.Approvals {
		if !o.busy(a.ApprovalRequestID) && !now.Before(o.until[a.ApprovalRequestID]) {
			return a, true
		}
	}
	return OpenApproval{}, false
}

// wake is when to look again, if anything is left alone until some time to
// come. What may be taken now waits for a free place, not for a time.
func (o *openCalls) wake(now time.Time) (earliest time.Time, needed bool) {
	sooner := func(id string, at time.Time) {
		if !o.busy(id) && at.After(now) && (!needed || at.Before(earliest)) {
			earliest, needed = at, true
		}
	}
	for _, a := range o.report.Actions {
		sooner(a.ActionID, o.free(a))
	}
	for _, a := range o.report.Approvals {
		sooner(a.ApprovalRequestID, o.until[a.ApprovalRequestID])
	}
	return earliest, needed
}

// free is from when on a call may be taken: zero for at once, else the end of
// somebody's lease or of our own patience.
func (o *openCalls) free(a OpenAction) time.Time {
	free := o.until[a.ActionID]
	if a.Owner != "" && a.Owner != o.owner && a.LeaseUntil.After(free) {
		free = a.LeaseUntil
	}
	return free
}

func (o *openCalls) busy(id string) bool {
	_, working := o.working[id]
	return working || o.off[id]
}

// forgetContents drops what calls say: a run that waits for somebody else may
// do so for long, and its report is asked for again before its calls are taken.
func (o *openCalls) forgetContents() {
	for i := range o.report.Actions {
		a := &o.report.Actions[i]
		a.Args, a.Input = nil, nil
	}
	for i := range o.report.Approvals {
		o.report.Approvals[i].Args = nil
	}
}

// opening says what a piece of a run's history means for its open calls and
// approvals.
type opening int

const (
	// unknown: some may have opened or been settled; the run knows.
	unknown opening = iota
	// asBefore: none has opened, none was settled.
	asBefore
	// nothingOpen: the model is asked, so all are settled.
	nothingOpen
)

// mostTail is how many events are read to spare a question to a worker.
const mostTail = 50

// openedSince reads in the history what has opened between two states, which
// takes no worker. pending says that something had come in that the run had not
// taken in yet; the second result is the same for the later state.
func (r *Run) openedSince(ctx context.Context, told, now state, pending bool) (opening, bool) {
	switch {
	case told == now:
		return asBefore, pending
	case told.execution != now.execution, now.length-told.length > mostTail:
		return unknown, false
	}
	events, err := r.tail(ctx, told, now)
	if err != nil || int64(len(events)) != now.length-told.length {
		return unknown, false
	}
	return openedBy(events, pending)
}

// tail is the events of the history after one state and up to another.
func (r *Run) tail(ctx context.Context, after, upTo state) ([]*historypb.HistoryEvent, error) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	namespace := r.starter.namespace(ctx)
	if namespace == "" {
		return nil, nil
	}
	request := &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: namespace, MaximumPageSize: mostTail,
		Execution: &commonpb.WorkflowExecution{WorkflowId: r.id, RunId: upTo.execution},
	}
	page, err := r.client.WorkflowService().GetWorkflowExecutionHistoryReverse(limited, request)
	if err != nil {
		return nil, err
	}
	var events []*historypb.HistoryEvent
	for _, event := range page.GetHistory().GetEvents() {
		if id := event.GetEventId(); id > after.length && id <= upTo.length {
			events = append(events, event)
		}
	}
	slices.Reverse(events)
	return events, nil
}

// openedBy reads events in order. What comes in from outside takes effect when
// a workflow task is completed; what follows that is what the run did.
func openedBy(events []*historypb.HistoryEvent, pending bool) (opening, bool) {
	opened := asBefore
	for _, e := range events {
		switch kind := e.GetEventType(); {
		case kind == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
			if pending {
				opened, pending = unknown, false
			}
		case kind == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			if asksModel(e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()) {
				opened = nothingOpen
			}
		case kind == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED:
			accepted := e.GetWorkflowExecutionUpdateAcceptedEventAttributes()
			if accepted.GetAcceptedRequest().GetInput().GetName() != contract.ClaimAction {
				opened = unknown
			}
		case kind == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED &&
			e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == contract.Nudge:
		case !ofTheRun[kind]:
			pending = true
		}
	}
	return opened, pending
}

// asksModel tells whether an activity is one that a run does between batches.
func asksModel(activity string) bool { return activity == "Infer" || activity == "Compact" }

// ofTheRun are the events that a run, or the bookkeeping of its server, makes:
// they bring nothing in.
var ofTheRun = map[enumspb.EventType]bool{
	enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:                              true,
	enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED:                                true,
	enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:                              true,
	enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED:                                 true,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED:                  true,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED:                                true,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED:                       true,
	enumspb.EVENT_TYPE_TIMER_STARTED:                                        true,
	enumspb.EVENT_TYPE_TIMER_CANCELED:                                       true,
	enumspb.EVENT_TYPE_MARKER_RECORDED:                                      true,
	enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:                    true,
	enumspb.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED:                         true,
	enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:             true,
	enumspb.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED:         true,
	enumspb.EVENT_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED: true,
}
