package bench

import (
	"time"

	sdkworker "go.temporal.io/sdk/worker"

	"errand/worker"
)

// What Errand's worker is tuned with, line for line: see worker/tuning.go.
const (
	heartbeatThrottle = 200 * time.Millisecond
	stickyTimeout     = 2 * time.Second
	deadlockTimeout   = 5 * time.Second
	drainTimeout      = 10 * time.Second
	stopTimeout       = drainTimeout + 7*time.Second
	activityPollers   = 10
	workflowPollers   = 8
	localActivities   = 64
	eagerActivities   = 16
)

// options are those of Minimal's worker: Errand's own.
func options() sdkworker.Options {
	limits := worker.DefaultConfig().Limits
	return sdkworker.Options{
		MaxConcurrentActivityExecutionSize:          limits.Activities,
		MaxConcurrentLocalActivityExecutionSize:     localActivities,
		MaxConcurrentActivityTaskPollers:            activityPollers,
		MaxConcurrentWorkflowTaskPollers:            workflowPollers,
		MaxHeartbeatThrottleInterval:                heartbeatThrottle,
		MaxEagerActivityReservationsPerWorkflowTask: new(eagerActivities),
		DefaultHeartbeatThrottleInterval:            heartbeatThrottle,
		StickyScheduleToStartTimeout:                stickyTimeout,
		DeadlockDetectionTimeout:                    deadlockTimeout,
		WorkerStopTimeout:                           stopTimeout,
		DisableRegistrationAliasing:                 true,
	}
}
