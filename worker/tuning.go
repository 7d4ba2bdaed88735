package worker

import (
	"time"

	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	// heartbeatThrottle is the most that a heartbeat waits in the worker. A
	// cancellation reaches an activity in the answer to one, and the SDK would
	// wait for 80 % of the heartbeat timeout: 8 s of the 10 s in use here.
	heartbeatThrottle = 200 * time.Millisecond
	// stickyTimeout is how long a run waits for the worker that has it in
	// memory before another one takes over. The SDK's 5 s would be most of the
	// delay that a client sees after a crash.
	stickyTimeout = 2 * time.Second
	// deadlockTimeout is how long a workflow task may compute. The SDK's 1 s
	// is soon used up on a shared machine while a long history is replayed,
	// and a task that fails for it starts again from nothing.
	deadlockTimeout = 5 * time.Second
	// drainTimeout lets calls in flight end before they are told to.
	drainTimeout = 10 * time.Second
	// stopTimeout is longer by what a call that was told to stop may take, and by
	// what it takes to report it: the server then knows at once what must go on
	// elsewhere.
	stopTimeout = drainTimeout + 7*time.Second
	// ownCalls are as many as the worker's own queue can have. They wait in the
	// worker, not in the queue.
	ownCalls = 100_000
	// ownPollers fetch what is for this worker alone. A server spreads that queue
	// over four partitions too.
	ownPollers = 5
	// activityPollers keep a fan-out from stalling: a server spreads a task
	// queue over four partitions, and two pollers leave half of them unwatched
	// for seconds.
	activityPollers = 10
	// workflowPollers are shared between the sticky queue and the common one,
	// which has the same partitions.
	workflowPollers = 8
	// localActivities bound the preparing of batches. It is computing, mostly:
	// more at a time would only make each of them later.
	localActivities = 64
	// eagerActivities of a workflow task may come with the answer to it, where
	// the server offers that (system.enableActivityEagerExecution): as many as
	// a usual window.
	eagerActivities = 16
)

// options are those of the SDK's worker. What matters is stated here and not
// inherited, so that an upgrade of the SDK does not change it.
func options(limits Limits, fatal func(error)) sdkworker.Options {
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
		// Names are part of the contract. A function that stood for two names
		// would be a mistake, which this makes an error.
		DisableRegistrationAliasing: true,
		OnFatalError:                fatal,
	}
}

// ownOptions are those of the worker of this worker's own queue. It has
// activities only.
func ownOptions(fatal func(error)) sdkworker.Options {
	o := options(Limits{Activities: ownCalls}, fatal)
	o.MaxConcurrentActivityTaskPollers = ownPollers
	o.DisableWorkflowWorker = true
	return o
}

// asVersion makes a worker a version of a deployment, if there is one.
func asVersion(o sdkworker.Options, d Deployment) sdkworker.Options {
	if d.Name == "" {
		return o
	}
	behavior := workflow.VersioningBehaviorAutoUpgrade
	if d.Behavior == Pinned {
		behavior = workflow.VersioningBehaviorPinned
	}
	o.DeploymentOptions = sdkworker.DeploymentOptions{
		UseVersioning:             true,
		Version:                   sdkworker.WorkerDeploymentVersion{DeploymentName: d.Name, BuildID: d.BuildID},
		DefaultVersioningBehavior: behavior,
	}
	return o
}
