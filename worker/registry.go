package worker

import (
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/workflows"
	"errand/workflows/contract"
)

// registerWorkflows makes every workflow known to a worker or a replayer.
func registerWorkflows(to sdkworker.WorkflowRegistry) {
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeRun})
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeDelegated})
	to.RegisterWorkflowWithOptions(workflows.Cleanup, workflow.RegisterOptions{Name: workflows.TypeCleanup})
}
