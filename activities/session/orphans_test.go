package session

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// registry is a Temporal that knows how runs are.
type registry struct {
	mu   sync.Mutex
	runs map[string]*workflowpb.WorkflowExecutionInfo
	fail error
	told []string
}

func (r *registry) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return nil, r.fail
	}
	info, there := r.runs[id]
	if !there {
		return nil, serviceerror.NewNotFound("no such run")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: info}, nil
}

func (r *registry) SignalWorkflow(_ context.Context, id, _, signal string, payload any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, id+" "+signal+" "+payload.(Closed).Session.RunID+" "+payload.(Closed).Queue+" "+payload.(Closed).Error)
	return nil
}

func running(chain string) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING, FirstRunId: chain}
}

// TestCloseOrphansClosesWhatRunsHaveLeftBehind: it stands behind Cleanup, and does not
// guess.
func TestCloseOrphansClosesWhatRunsHaveLeftBehind(t *testing.T) {
	t.Parallel()
	ended := running("chain")
	ended.Status = enums.WORKFLOW_EXECUTION_STATUS_TERMINATED
	for name, row := range map[string]struct {
		info *workflowpb.WorkflowExecutionInfo
		fail error
		want int64
	}{
		"the run goes on":                     {info: running("chain")},
		"a server that does not say":          {info: running("")},
		"the run has ended":                   {info: ended, want: 1},
		"another run has the name":            {info: running("other"), want: 1},
		"the run is not known any more":       {want: 1},
		"the server cannot be asked just now": {fail: errors.New("unavailable")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := &registry{runs: map[string]*workflowpb.WorkflowExecutionInfo{}, fail: row.fail}
				if row.info != nil {
					r.runs["a"] = row.info
				}
				m, mine := NewManager("own", 1, r), &room{}
				m.hold(t, "a", mine)
				ctx, end := context.WithCancel(t.Context())
				go m.CloseOrphans(ctx)
				<-time.After(3 * orphansEvery)
				end()
				synctest.Wait()
				require.Equal(t, row.want, mine.closed.Load())
			})
		})
	}
}

func TestCloseOrphansClosesAllAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewManager("own", 1, &registry{})
		slow := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		for _, run := range []string{"a", "b", "c"} {
			m.hold(t, run, &room{closing: slow})
		}
		began := time.Now()
		m.closeOrphans(t.Context())
		require.Empty(t, m.cleanups())
		require.LessOrEqual(t, time.Since(began), closeLimit+time.Second)
	})
}

// TestStoppingWorkerClosesEverySessionAndTellsOfIt: nobody waits for it.
func TestStoppingWorkerClosesEverySessionAndTellsOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &registry{}
		m := NewManager("own", 1, r)
		good, bad := &room{}, &room{closing: func(context.Context) error { return errors.New("stuck lid") }}
		m.hold(t, "a", good)
		m.hold(t, "b", bad)
		m.CloseAll(t.Context())
		m.CloseAll(t.Context())
		require.EqualValues(t, 1, good.closed.Load())
		require.EqualValues(t, 1, bad.closed.Load())
		require.ElementsMatch(t, []string{
			"a/cleanup session_closed a own ", "a session_closed a own ",
			"b/cleanup session_closed b own stuck lid", "b session_closed b own stuck lid",
		}, r.told)
		require.ErrorIs(t, m.Open(t.Context(), id("c"), "c", good.gives), ErrStopping)
	})
}
