package worker

import (
	"context"
	"sync"
	"time"

	sdkworker "go.temporal.io/sdk/worker"

	"errand/activities"
)

// crew is the SDK's workers of one Worker: that of the common task queue, and
// that of the queue which is this worker's own.
type crew struct {
	activities *activities.Activities
	members    []sdkworker.Worker
	// halt tells what still runs to stop.
	halt     func()
	endSweep func()
}

func newCrew(a *activities.Activities) *crew {
	return &crew{activities: a, halt: func() { activities.Halt(a) }, endSweep: func() {}}
}

func (c *crew) add(member sdkworker.Worker) { c.members = append(c.members, member) }

// Start starts all, or none. What sweeps goes on until Stop, or until ctx ends.
func (c *crew) Start(ctx context.Context) error {
	for i, member := range c.members {
		if err := member.Start(); err != nil {
			for _, started := range c.members[:i] {
				started.Stop()
			}
			return err
		}
	}
	sweeping, end := context.WithCancel(ctx)
	c.endSweep = end
	go activities.Sweep(sweeping, c.activities)
	return nil
}

// Stop lets what is in flight end by itself for drainTimeout. What runs then is
// told to stop, and has until stopTimeout to be reported by how far it got. At
// last the sessions are closed: nothing uses them any more.
func (c *crew) Stop(ctx context.Context) {
	c.endSweep()
	halt := time.AfterFunc(drainTimeout, c.halt)
	defer halt.Stop()
	var stopping sync.WaitGroup
	for _, member := range c.members {
		stopping.Go(member.Stop)
	}
	stopping.Wait()
	closing, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	activities.CloseAll(closing, c.activities)
}
