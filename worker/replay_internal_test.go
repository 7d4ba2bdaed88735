package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"

	"errand/workflows/contract"
)

// TestEveryPartOfAStrangeHistoryDoesNotReplay cuts the history of other code
// after each of its events: wherever a worker is with it, it does not fit.
func TestEveryPartOfAStrangeHistoryDoesNotReplay(t *testing.T) {
	t.Parallel()
	kinds := []enums.EventType{
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
		enums.EVENT_TYPE_WORKFLOW_TASK_STARTED, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, enums.EVENT_TYPE_TIMER_STARTED,
		enums.EVENT_TYPE_TIMER_FIRED, enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, enums.EVENT_TYPE_WORKFLOW_TASK_STARTED,
	}
	for n := 5; n <= len(kinds); n++ {
		var events []*historypb.HistoryEvent
		for i, kind := range kinds[:n] {
			events = append(events, event(int64(i+1), kind))
		}
		replayer := sdkworker.NewWorkflowReplayer()
		registerWorkflows(replayer)
		err := replayer.ReplayWorkflowHistoryWithOptions(TemporalLogger(zap.NewNop()), &historypb.History{Events: decided(events)},
			sdkworker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: "r", RunID: "e"}})
		require.Error(t, err, "%d events", n)
	}
}

func event(id int64, kind enums.EventType) *historypb.HistoryEvent {
	e := &historypb.HistoryEvent{EventId: id, EventType: kind}
	switch kind { //nolint:exhaustive // those of the test
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
			WorkflowType: &common.WorkflowType{Name: contract.TypeRun}, TaskQueue: &taskqueuepb.TaskQueue{Name: "q"},
			Input: &common.Payloads{Payloads: []*common.Payload{{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(`{"model":"m","input":"x"}`)}}},
		}}
	case enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{}}
	case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{ScheduledEventId: id - 1}}
	case enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{ScheduledEventId: id - 2, StartedEventId: id - 1}}
	case enums.EVENT_TYPE_TIMER_STARTED:
		e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{TimerId: "5", WorkflowTaskCompletedEventId: id - 1}}
	case enums.EVENT_TYPE_TIMER_FIRED:
		e.Attributes = &historypb.HistoryEvent_TimerFiredEventAttributes{TimerFiredEventAttributes: &historypb.TimerFiredEventAttributes{TimerId: "5", StartedEventId: id - 1}}
	}
	return e
}
