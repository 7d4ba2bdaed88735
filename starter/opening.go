package starter

import (
	"context"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"

	"errand/workflows/contract"
)

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
	namespace := r.starter.namespace()
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
