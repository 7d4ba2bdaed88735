package worker

import (
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/workflows"
)

// registerWorkflows makes every workflow known to a worker or a replayer.
func registerWorkflows(to sdkworker.WorkflowRegistry) {
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.TypeRun})
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.TypeDelegated})
	to.RegisterWorkflowWithOptions(workflows.Cleanup, workflow.RegisterOptions{Name: workflows.TypeCleanup})
}
