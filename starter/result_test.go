package starter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/workflows/contract"
)

func TestResultOfEveryEnding(t *testing.T) {
	t.Parallel()
	partial := contract.Result{ID: "run_1", OutputText: "so far", Status: contract.Failed}
	for name, c := range map[string]struct {
		status enumspb.WorkflowExecutionStatus
		result any
		ending error
		want   string // output text; "none" for no result
		err    error
	}{
		"completed": {
			enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
			contract.Result{OutputText: "done"},
			nil, "done", nil,
		},
		"failed": {
			enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, nil,
			temporal.NewNonRetryableApplicationError("401", contract.ErrModelRejected, temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil), partial),
			"so far", &RunFailedError{Type: contract.ErrModelRejected, Message: "401"},
		},
		"failed without a result": {
			enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, nil,
			temporal.NewApplicationError("bad", "Other", "just text"),
			"", &RunFailedError{Type: "Other", Message: "bad"},
		},
		"cancelled": {
			enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, nil,
			temporal.NewCanceledError(partial), "so far", ErrCancelled,
		},
		"cancelled without a result": {
			enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, nil,
			temporal.NewCanceledError(), "", ErrCancelled,
		},
		"terminated": {
			enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, nil,
			&temporal.TerminatedError{}, "none", &ClosedError{Terminated},
		},
		"timed out": {
			enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, nil,
			temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil), "none", &ClosedError{TimedOut},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.ending = func() (any, error) { return c.result, c.ending }
				time.AfterFunc(time.Hour, func() { f.close(c.status) })
				result, err := f.run().Result(t.Context())
				require.Equal(t, c.err, err)
				if c.want == "none" {
					require.Nil(t, result)
					return
				}
				require.NotNil(t, result)
				require.Equal(t, c.want, result.OutputText)
			})
		})
	}
}

func TestResultDoesNotTrustTheNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.deaf = true
		f.ending = func() (any, error) { return contract.Result{OutputText: "done"}, nil }
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		before := time.Now()
		result, err := f.run().Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, "done", result.OutputText)
		require.Less(t, time.Since(before), 5*time.Second)
	})
}

func TestResultEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := newFake().run().Result(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
