package starter

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/mocks"

	"errand/workflows/contract"
)

func TestPendingRunsAreSearchedForWhereTheNamespaceCan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"registered": {nil, `ExecutionStatus = 'Running'`},
		"unknown":    {serviceerror.NewInvalidArgument("invalid search attribute: ErrandStatus"), `ExecutionStatus = 'Running'`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &mocks.Client{}
			c.On("CountWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.CountWorkflowExecutionsResponse{}, row.err)
			filter, err := New(c).filter(t.Context(), ListQuery{Pending: true})
			require.NoError(t, err)
			require.Contains(t, filter, row.want)
			if row.err == nil {
				require.Contains(t, filter, `AND (ErrandStatus = 'pending_action' OR ErrandStatus IS NULL)`)
			} else {
				require.NotContains(t, filter, "ErrandStatus")
			}
		})
	}
	c := &mocks.Client{}
	away := errors.New("away")
	c.On("CountWorkflow", mock.Anything, mock.Anything).Return(nil, away)
	_, err := New(c).Searchable(t.Context())
	require.ErrorIs(t, err, away)
}

func TestListIsAsExactAsTheSearchAttributes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		server enumspb.WorkflowExecutionStatus
		closed time.Time
		word   string
		want   contract.Status
		calls  int
	}{
		{enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{}, "pending_action", contract.PendingAction, 2},
		{enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Time{}, "completed", contract.InProgress, 2},
		{enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, time.Unix(9, 0), "incomplete", contract.Incomplete, 0},
		{enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, time.Unix(9, 0), "pending_action", Terminated, 0},
	} {
		info := listed("a", row.server, row.closed)
		info.SearchAttributes = &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{}}
		for name, value := range map[string]any{contract.AttributeStatus: row.word, contract.AttributePending: 2} {
			payload, err := attributeConverter.ToPayload(value)
			require.NoError(t, err)
			info.SearchAttributes.IndexedFields[name] = payload
		}
		summary := New(nil).summary(info)
		require.Equal(t, row.want, summary.Status, row)
		require.Equal(t, row.calls, summary.PendingCalls, row)
	}
}
