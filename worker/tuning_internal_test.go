package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCancellationIsNotHeldBackByThrottling(t *testing.T) {
	t.Parallel()
	set := options(Limits{Activities: 7}, nil)
	require.Equal(t, 200*time.Millisecond, set.MaxHeartbeatThrottleInterval)
	require.Equal(t, 7, set.MaxConcurrentActivityExecutionSize)
	require.Greater(t, set.MaxConcurrentWorkflowTaskPollers, 1, "the SDK panics on 1")
	require.Equal(t, 17*time.Second, set.WorkerStopTimeout)
}
