package connect

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/protobuf/types/known/timestamppb"

	"errand/starter"
)

// startedAt is a page of runs, each named after the second of its start.
func startedAt(seconds map[string]int64, ids ...string) *workflowservice.ListWorkflowExecutionsResponse {
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, id := range ids {
		page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{
			Execution: &commonpb.WorkflowExecution{WorkflowId: id}, StartTime: timestamppb.New(time.Unix(seconds[id], 0)),
		})
	}
	return page
}

func TestTheLastRunIsTheOneThatStartedLast(t *testing.T) {
	t.Parallel()
	seconds := map[string]int64{"running": 10, "slow": 20, "newest": 30, "quick": 25}
	first := make([]string, firstLook) // the newest one is not among these
	for i := range first {
		first[i] = "running"
	}
	c := &mocks.Client{}
	asked := func(bounded bool) any {
		return mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
			return strings.Contains(r.Query, "StartTime > '1970-01-01T00:00:10Z'") == bounded
		})
	}
	c.On("ListWorkflow", mock.Anything, asked(false)).Once().Return(startedAt(seconds, first...), nil)
	c.On("ListWorkflow", mock.Anything, asked(true)).Once().Return(startedAt(seconds, "quick", "newest", "slow"), nil)
	run, err := (&Connection{Client: c, Starter: starter.New(c)}).Run(t.Context(), Last)
	require.NoError(t, err)
	require.Equal(t, "newest", run.ID())
	c.AssertExpectations(t)
}

func TestWithoutRunsThereIsNoLast(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("ListWorkflow", mock.Anything, mock.Anything).Once().Return(startedAt(nil), nil)
	_, err := (&Connection{Client: c, Starter: starter.New(c), Queue: "q"}).Run(t.Context(), Last)
	require.Equal(t, &NoRunsError{"q"}, err)
}
