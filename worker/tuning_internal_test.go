package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

func TestCancellationIsNotHeldBackByThrottling(t *testing.T) {
	t.Parallel()
	set := options(Limits{Activities: 7}, nil)
	require.Equal(t, 200*time.Millisecond, set.MaxHeartbeatThrottleInterval)
	require.Equal(t, 7, set.MaxConcurrentActivityExecutionSize)
	require.Greater(t, set.MaxConcurrentWorkflowTaskPollers, 1, "the SDK panics on 1")
	require.Equal(t, 17*time.Second, set.WorkerStopTimeout)
}

func TestRunsGoOnWithTheNewestBuildUnlessPinned(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]workflow.VersioningBehavior{
		"": workflow.VersioningBehaviorAutoUpgrade, AutoUpgrade: workflow.VersioningBehaviorAutoUpgrade,
		Pinned: workflow.VersioningBehaviorPinned,
	} {
		o := asVersion(sdkworker.Options{}, Deployment{Name: "errand", BuildID: "v1", Behavior: behavior})
		require.True(t, o.DeploymentOptions.UseVersioning)
		require.Equal(t, want, o.DeploymentOptions.DefaultVersioningBehavior)
	}
	none := asVersion(sdkworker.Options{}, Deployment{})
	require.False(t, none.DeploymentOptions.UseVersioning)
}
