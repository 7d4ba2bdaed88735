package starter

import (
	"context"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc"
)

func (f *fake) GetWorkflowHistory(ctx context.Context, _, _ string, _ bool, _ enumspb.HistoryEventFilterType) client.HistoryEventIterator {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &fakeHistory{fake: f, ctx: ctx, execution: len(f.history) - 1}
}

// task is one workflow task: what came in, and what the run does then. f.mu is
// held.
func (f *fake) task(in []*historypb.HistoryEvent, does ...*historypb.HistoryEvent) {
	for _, kind := range []enumspb.EventType{
		enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED,
		enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
	} {
		in = append(in, &historypb.HistoryEvent{EventType: kind})
	}
	last := len(f.history) - 1
	for _, e := range append(in, does...) {
		e.EventId = int64(len(f.history[last]) + 1)
		f.history[last] = append(f.history[last], e)
	}
}

// accept is the workflow task of an update. A run that waits for nobody any more
// goes on to ask the model.
func (f *fake) accept(update string) {
	does := []*historypb.HistoryEvent{accepted(update), {EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED}}
	if len(f.actions)+len(f.asked) == 0 {
		does = append(does, scheduled("Infer"))
	}
	f.task(nil, does...)
}

func accepted(update string) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionUpdateAcceptedEventAttributes{
			WorkflowExecutionUpdateAcceptedEventAttributes: &historypb.WorkflowExecutionUpdateAcceptedEventAttributes{
				AcceptedRequest: &updatepb.Request{Input: &updatepb.Input{Name: update}},
			},
		},
	}
}

func scheduled(activity string) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
		Attributes: &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{
			ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
				ActivityType: &commonpb.ActivityType{Name: activity},
			},
		},
	}
}

// CountWorkflow puts the client's namespace in, as clients do.
func (f *fake) CountWorkflow(ctx context.Context, r *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	r.Namespace = "default"
	return nil, ctx.Err()
}

func (f *fake) WorkflowService() workflowservice.WorkflowServiceClient {
	return fakeService{find: f.itself}
}

func (f *fake) itself(string) (*fake, error) { return f, nil }

// fakeService reads the end of a history.
type fakeService struct {
	workflowservice.WorkflowServiceClient
	find func(id string) (*fake, error)
}

func (s fakeService) GetWorkflowExecutionHistoryReverse(_ context.Context, r *workflowservice.GetWorkflowExecutionHistoryReverseRequest, _ ...grpc.CallOption) (*workflowservice.GetWorkflowExecutionHistoryReverseResponse, error) {
	f, err := s.find(r.GetExecution().GetWorkflowId())
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	events := slices.Clone(f.history[len(f.history)-1])
	slices.Reverse(events)
	events = events[:min(len(events), int(r.GetMaximumPageSize()))]
	return &workflowservice.GetWorkflowExecutionHistoryReverseResponse{History: &historypb.History{Events: events}}, nil
}

// fakeHistory long-polls one execution.
type fakeHistory struct {
	*fake
	ctx                 context.Context
	execution, position int
}

func (h *fakeHistory) HasNext() bool {
	for {
		h.mu.Lock()
		changed := h.changed
		if h.broken {
			h.mu.Unlock()
			return true
		}
		more := h.position < len(h.history[h.execution]) && !h.deaf
		over := !h.deaf && (h.isClosed() || h.execution < len(h.history)-1)
		h.mu.Unlock()
		if more || over {
			return more
		}
		select {
		case <-h.ctx.Done():
			return true
		case <-changed:
		}
	}
}

func (h *fakeHistory) Next() (*historypb.HistoryEvent, error) {
	if h.ctx.Err() != nil {
		return nil, h.ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return nil, serviceerror.NewUnavailable("broken")
	}
	h.position++
	return h.history[h.execution][h.position-1], nil
}

func (f *fake) GetWorkflow(context.Context, string, string) client.WorkflowRun {
	return &fakeEnding{fake: f}
}

// fakeEnding waits for the end of the run.
type fakeEnding struct {
	client.WorkflowRun
	*fake
}

func (e *fakeEnding) Get(ctx context.Context, target any) error {
	e.mu.Lock()
	deaf := e.deaf
	e.deaf = false // it hears when it is asked again
	e.mu.Unlock()
	for {
		e.mu.Lock()
		changed, closed := e.changed, e.isClosed() && !deaf
		e.mu.Unlock()
		if closed {
			result, err := e.ending()
			if err != nil { // as it comes over the wire
				wire := temporal.GetDefaultFailureConverter()
				return wire.FailureToError(wire.ErrorToFailure(err))
			}
			return value(result).Get(target)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
