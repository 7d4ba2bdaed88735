package starter

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"errand/workflows/contract"
)

func TestPollActionExecutesAllOpenCallsAndMarksFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		go func() {
			wait(time.Minute)
			for id, tool := range map[string]string{"act_1_0": "add", "act_1_1": "fails", "act_1_2": "missing"} {
				f.open(id, tool)
			}
		}()
		broken := errors.New("no such flight")
		handled, err := f.run().PollAction(t.Context(), Handlers{
			"add":   func(context.Context, Call) (any, error) { wait(time.Second); return "ok", nil },
			"fails": func(context.Context, Call) (any, error) { return nil, broken },
		})
		require.NoError(t, err)
		require.Len(t, handled, 3)
		failures := map[string]string{}
		for _, one := range handled {
			require.Equal(t, callID(one.ActionID), one.ToolCallID)
			failures[one.ActionID] = ""
			if one.Err != nil {
				failures[one.ActionID] = one.Err.Error()
			}
		}
		require.Equal(t, map[string]string{"act_1_0": "", "act_1_1": "no such flight", "act_1_2": `no handler for "missing"`}, failures)
		require.True(t, f.answers["act_1_1"].IsError)
		require.Equal(t, "ok", f.outputOf("act_1_0"))
	})
}

func TestPollActionTellsTheEndFromATimeOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status enumspb.WorkflowExecutionStatus
		want   error
	}{
		"completed": {enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, ErrEnded},
		"failed":    {enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				go func() { wait(time.Minute); f.close(c.status) }()
				_, err := f.run().PollAction(t.Context(), nil)
				require.ErrorIs(t, err, c.want)
				_, err = f.run().PollAction(t.Context(), nil)
				require.ErrorIs(t, err, c.want, "also when it had ended before")
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := f.run().PollAction(ctx, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ErrEnded)
		go func() { wait(time.Second); f.close(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED) }()
		_, err = f.run().PollAction(t.Context(), nil)
		require.Equal(t, &ClosedError{Terminated}, err)
	})
}

func TestPollActionDoesNotCountWhatSomebodyElseAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		handled, err := f.run().PollAction(t.Context(), Handlers{"slow": func(context.Context, Call) (any, error) {
			if _, err := f.run().Answer(t.Context(), Output("act_1_0", "first")); err != nil {
				return nil, err
			}
			f.open("act_1_1", "add")
			return "second", nil
		}, "add": returns("ok")})
		require.NoError(t, err)
		require.Len(t, handled, 1)
		require.Equal(t, "act_1_1", handled[0].ActionID)
	})
}

func TestWatchRunTellsEachCallOnceAndTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.open("act_1_1", "add")
		go func() {
			wait(time.Minute)
			f.do(func() {
				f.asked = append(f.asked, contract.OpenApproval{ApprovalRequestID: "apr_1_2", Tool: "rm"})
				f.emit(contract.Event{Type: contract.EventApprovalAsked, ApprovalID: "apr_1_2"})
			})
			wait(time.Minute)
			f.open("act_2_0", "add")
			wait(time.Minute)
			f.close(enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
		}()
		var told []string
		for watched, err := range f.run().WatchRun(t.Context()) {
			require.NoError(t, err)
			for _, a := range watched.Actions {
				require.NotEmpty(t, a.ToolCallID)
				told = append(told, a.ActionID)
			}
			for _, a := range watched.Approvals {
				told = append(told, a.ApprovalRequestID)
			}
			if watched.Status.Terminal() {
				told = append(told, string(watched.Status))
			}
		}
		require.Equal(t, []string{"act_1_0", "act_1_1", "apr_1_2", "act_2_0", "failed"}, told)
	})
}

func TestWatchRunTellsTheEndFromATimeOut(t *testing.T) {
	t.Parallel()
	last := func(ctx context.Context, f *fake) (last Watched, end error) {
		for watched, err := range f.run().WatchRun(ctx) {
			last, end = watched, err
		}
		return last, end
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := last(ctx, f)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		end, err := last(t.Context(), f)
		require.NoError(t, err)
		require.Equal(t, contract.Completed, end.Status)
		gone := newFake()
		gone.close(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
		_, err = last(t.Context(), gone)
		require.Equal(t, &ClosedError{Terminated}, err)
	})
}
