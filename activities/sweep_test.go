package activities

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
	*fakeRun
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
	r.told = append(r.told, id+" "+signal+" "+payload.(Held).Activation.RunID+" "+payload.(Held).Queue+" "+payload.(Held).Error)
	return nil
}

func running(chain string) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING, FirstRunId: chain}
}

func keepers(t *testing.T, r *registry) *Activities {
	t.Helper()
	a, err := New(Parts{Model: &echo{}, Engine: r, Own: Own{Queue: "own"}})
	require.NoError(t, err)
	return a
}

// TestSweepClosesWhatRunsHaveLeftBehind: it stands behind Cleanup, and does not
// guess.
func TestSweepClosesWhatRunsHaveLeftBehind(t *testing.T) {
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
				a, mine := keepers(t, r), &room{}
				a.own.holder.hold(t, "a", mine)
				ctx, end := context.WithCancel(t.Context())
				go Sweep(ctx, a)
				<-time.After(3 * sweepEvery)
				end()
				synctest.Wait()
				require.Equal(t, row.want, mine.closed.Load())
			})
		})
	}
}

func TestSweepClosesAllAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := keepers(t, &registry{})
		slow := func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}
		for _, run := range []string{"a", "b", "c"} {
			a.own.holder.hold(t, run, &room{closing: slow})
		}
		began := time.Now()
		a.sweep(t.Context())
		require.Empty(t, a.own.holder.all())
		require.LessOrEqual(t, time.Since(began), closeLimit+time.Second)
	})
}

// TestStoppingWorkerClosesEverySessionAndTellsOfIt: nobody waits for it.
func TestStoppingWorkerClosesEverySessionAndTellsOfIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &registry{}
		a := keepers(t, r)
		good, bad := &room{}, &room{closing: func(context.Context) error { return errors.New("stuck lid") }}
		a.own.holder.hold(t, "a", good)
		a.own.holder.hold(t, "b", bad)
		CloseAll(t.Context(), a)
		CloseAll(t.Context(), a)
		require.EqualValues(t, 1, good.closed.Load())
		require.EqualValues(t, 1, bad.closed.Load())
		require.ElementsMatch(t, []string{
			"a/cleanup session_closed a own ", "a session_closed a own ",
			"b/cleanup session_closed b own stuck lid", "b session_closed b own stuck lid",
		}, r.told)
		require.ErrorIs(t, a.own.holder.open(t.Context(), key("c"), "c", good.gives), errShut)
	})
}
