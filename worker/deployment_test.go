package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

func TestADeploymentNeedsItsNameAndItsBuild(t *testing.T) {
	t.Parallel()
	for d, want := range map[Deployment]string{
		{}:                              "",
		{Name: "errand", BuildID: "v1"}: "",
		{Name: "errand", BuildID: "v1", Behavior: Pinned}: "",
		{Name: "errand"}:             "deployment.build_id",
		{BuildID: "v1"}:              "deployment.name",
		{Name: "a.b", BuildID: "v1"}: "deployment.name",
		{Name: "errand", BuildID: "v1", Behavior: "sticky"}: "deployment.behavior",
	} {
		var faults tools.Faults
		d.faults(&faults)
		if want == "" {
			require.Empty(t, faults, d)
			continue
		}
		require.Len(t, faults, 1, d)
		require.Equal(t, want, faults[0].Path)
	}
}

func TestRunsGoOnWithTheNewestBuildUnlessPinned(t *testing.T) {
	t.Parallel()
	for behavior, want := range map[string]workflow.VersioningBehavior{
		"": workflow.VersioningBehaviorAutoUpgrade, AutoUpgrade: workflow.VersioningBehaviorAutoUpgrade,
		Pinned: workflow.VersioningBehaviorPinned,
	} {
		var o sdkworker.Options
		Deployment{Name: "errand", BuildID: "v1", Behavior: behavior}.apply(&o)
		require.True(t, o.DeploymentOptions.UseVersioning)
		require.Equal(t, want, o.DeploymentOptions.DefaultVersioningBehavior)
	}
	var none sdkworker.Options
	Deployment{}.apply(&none)
	require.False(t, none.DeploymentOptions.UseVersioning)
}
