package starter

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/protobuf/types/known/timestamppb"

	"errand/workflows/contract"
)

func listed(id string, status enumspb.WorkflowExecutionStatus, closed time.Time) *workflowpb.WorkflowExecutionInfo {
	info := &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: id}, Status: status,
		StartTime: timestamppb.New(time.Unix(1000, 0)), Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{}},
	}
	if !closed.IsZero() {
		info.CloseTime = timestamppb.New(closed)
	}
	return info
}

func TestListGoesThroughThePages(t *testing.T) {
	t.Parallel()
	payload, err := converter.GetDefaultDataConverter().ToPayload("hello")
	require.NoError(t, err)
	first := listed("a", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{})
	first.Memo.Fields["prompt"] = payload
	first.Memo.Fields["model"] = &commonpb.Payload{Data: []byte("no encoding")}

	c := &mocks.Client{}
	c.On("ListWorkflow", mock.Anything, mock.Anything).Once().Return(&workflowservice.ListWorkflowExecutionsResponse{
		Executions: []*workflowpb.WorkflowExecutionInfo{first}, NextPageToken: []byte("more"),
	}, nil)
	c.On("ListWorkflow", mock.Anything, mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
		return string(r.NextPageToken) == "more"
	})).Once().Return(&workflowservice.ListWorkflowExecutionsResponse{
		Executions: []*workflowpb.WorkflowExecutionInfo{
			listed("b", enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, time.Unix(2000, 0)),
		},
	}, nil)

	var all []Summary
	for summary, err := range New(c).List(t.Context(), ListQuery{}) {
		require.NoError(t, err)
		all = append(all, summary)
	}
	require.Equal(t, []Summary{
		{ID: "a", Status: contract.InProgress, Started: time.Unix(1000, 0).UTC(), Prompt: "hello"},
		{ID: "b", Status: Terminated, Started: time.Unix(1000, 0).UTC(), Closed: time.Unix(2000, 0).UTC()},
	}, all)
}

// TestListKnowsWhenAContinuedRunBegan: to the server its newest execution began
// at second 1000.
func TestListKnowsWhenAContinuedRunBegan(t *testing.T) {
	t.Parallel()
	payload, err := converter.GetDefaultDataConverter().ToPayload("1970-01-01T00:00:07.5Z")
	require.NoError(t, err)
	continued := listed("a", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{})
	continued.Memo.Fields[contract.MemoStarted] = payload
	c := &mocks.Client{}
	c.On("ListWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.ListWorkflowExecutionsResponse{
		Executions: []*workflowpb.WorkflowExecutionInfo{continued, listed("b", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{})},
	}, nil)
	began := func(query ListQuery) map[string]time.Time {
		all := map[string]time.Time{}
		for one, err := range New(c).List(t.Context(), query) {
			require.NoError(t, err)
			all[one.ID] = one.Started
		}
		return all
	}
	first, second := time.Unix(7, 500_000_000).UTC(), time.Unix(1000, 0).UTC()
	require.Equal(t, map[string]time.Time{"a": first, "b": second}, began(ListQuery{}))
	require.Equal(t, map[string]time.Time{"b": second}, began(ListQuery{StartedAfter: time.Unix(8, 0)}))
}

func TestListStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("ListWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.ListWorkflowExecutionsResponse{
		Executions: []*workflowpb.WorkflowExecutionInfo{
			listed("a", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{}),
			listed("b", enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{}),
		},
		NextPageToken: []byte("more"),
	}, nil)
	n := 0
	for _, err := range New(c).List(t.Context(), ListQuery{Limit: 3}) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 3, n)
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	s := New(nil, TaskQueue(`it's`))
	for want, query := range map[string]ListQuery{
		`WorkflowType = 'Run' AND TaskQueue = 'it\'s' AND ExecutionStatus != 'ContinuedAsNew'`: {},
		`WorkflowType = 'Run' AND TaskQueue = 'it\'s' AND ExecutionStatus = 'Running'`:         {Status: contract.PendingAction},
		`WorkflowType = 'Run' AND TaskQueue = 'it\'s' AND ExecutionStatus = 'Completed'` +
			` AND StartTime > '1970-01-01T00:16:40Z' AND StartTime < '1970-01-01T00:33:20Z'`: {
			Status: contract.Incomplete, StartedAfter: time.Unix(1000, 0), StartedBefore: time.Unix(2000, 0),
		},
	} {
		filter, err := s.filter(t.Context(), query)
		require.NoError(t, err)
		require.Equal(t, want, filter)
	}
	for _, err := range s.List(t.Context(), ListQuery{Status: "asleep"}) {
		require.ErrorContains(t, err, `"asleep" is not a status`)
	}
}

func TestListGivesItsErrorLast(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	broken := errors.New("broken")
	c.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, broken)
	n := 0
	for _, err := range New(c).List(t.Context(), ListQuery{}) {
		require.ErrorIs(t, err, broken)
		n++
	}
	require.Equal(t, 1, n)
}
