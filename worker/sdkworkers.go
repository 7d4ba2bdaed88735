package worker

import (
	"context"
	"sync"
	"time"

	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/workflows"
	"errand/workflows/contract"
)

// sdkWorkers are the SDK's workers of one Worker: that of the common task queue,
// and that of the queue which is this worker's own.
type sdkWorkers struct {
	activities *activities.Activities
	all        []sdkworker.Worker
	// halt tells what still runs to stop.
	halt     func()
	endSweep func()
}

func newSDKWorkers(a *activities.Activities) *sdkWorkers {
	return &sdkWorkers{activities: a, halt: func() { activities.Halt(a) }, endSweep: func() {}}
}

func (s *sdkWorkers) add(one sdkworker.Worker) { s.all = append(s.all, one) }

// Start starts all, or none. What sweeps goes on until Stop, or until ctx ends.
func (s *sdkWorkers) Start(ctx context.Context) error {
	for i, one := range s.all {
		if err := one.Start(); err != nil {
			for _, started := range s.all[:i] {
				started.Stop()
			}
			return err
		}
	}
	sweeping, end := context.WithCancel(ctx)
	s.endSweep = end
	go activities.Sessions(s.activities).CloseOrphans(sweeping)
	return nil
}

// Stop lets what is in flight end by itself for drainTimeout. What runs then is
// told to stop, and has until stopTimeout to be reported by how far it got. At
// last the sessions are closed: nothing uses them any more.
func (s *sdkWorkers) Stop(ctx context.Context) {
	s.endSweep()
	halt := time.AfterFunc(drainTimeout, s.halt)
	defer halt.Stop()
	var stopping sync.WaitGroup
	for _, one := range s.all {
		stopping.Go(one.Stop)
	}
	stopping.Wait()
	closing, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	activities.Sessions(s.activities).CloseAll(closing)
}

// registerWorkflows makes every workflow known to a worker or a replayer.
func registerWorkflows(to sdkworker.WorkflowRegistry) {
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeRun})
	to.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeDelegated})
	to.RegisterWorkflowWithOptions(workflows.Cleanup, workflow.RegisterOptions{Name: workflows.TypeCleanup})
}
