package test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

// TestAWorkerIsAVersionOfADeployment runs on a server that routes by build:
// nothing is taken before a build is current, and then by that build.
func TestAWorkerIsAVersionOfADeployment(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("hello")))
	config := s.config("responses")
	config.Deployment = worker.Deployment{Name: s.queue, BuildID: "v1"}
	s.workWith(config)
	run, err := s.starter.Start(within(t), starter.Request{Model: "m", Input: "hi"})
	require.NoError(t, err)

	handle := s.client.WorkerDeploymentClient().GetHandle(s.queue)
	harness.Eventually(t, patience, func() (bool, string) {
		_, err := handle.SetCurrentVersion(within(t), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: "v1"})
		if err != nil {
			return false, err.Error()
		}
		return true, ""
	}, "the build is current")
	result, err := run.Result(within(t))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	described, err := s.client.DescribeWorkflow(within(t), run.ID(), "")
	require.NoError(t, err)
	require.Equal(t, "v1", described.RawResponse.GetWorkflowExecutionInfo().GetVersioningInfo().GetDeploymentVersion().GetBuildId())
}
