package main

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
	run, err := (&connection{client: c, starter: starter.New(c)}).run(t.Context(), lastRun)
	require.NoError(t, err)
	require.Equal(t, "newest", run.ID())
	c.AssertExpectations(t)
}

func TestWithoutRunsThereIsNoLast(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("ListWorkflow", mock.Anything, mock.Anything).Once().Return(startedAt(nil), nil)
	_, err := (&connection{client: c, starter: starter.New(c), queue: "q"}).run(t.Context(), lastRun)
	require.Equal(t, &noRunsError{"q"}, err)
}

func TestIdsThatCannotBeMeantAreBadUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--run-id last: this word stands for the newest run":      {"run", "x", "--run-id", "last"},
		"must be 1 to 200 characters of printable ASCII":          {"run", "x", "--run-id", "zamówienie"},
		"the run is empty: write its id, or last for the newest":  {"show", ""},
		"the run is empty: write its id, or last for the newest ": {"cancel", " "},
	} {
		got := call(t, "errand", []string{"TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_CONFIG_FILE=/dev/null"}, "", args...)
		require.Equal(t, exitUsage, got.code, got.err)
		require.Contains(t, got.err, want)
	}
}
