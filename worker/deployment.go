package worker

import (
	"strings"

	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

// Deployment makes the worker one version of a Worker Deployment: the server
// routes runs by build. The zero Deployment does not: every worker of the task
// queue takes every run.
type Deployment struct {
	// Name of the deployment, the same for all its builds.
	Name string
	// BuildID names this build: a commit or a release.
	BuildID string
	// Behavior says what becomes of a run when a newer build is made current:
	// AutoUpgrade (the default) or Pinned.
	Behavior string
}

const (
	// AutoUpgrade lets a run go on with the newest build. Runs may wait for a
	// client for days, so that is the default; replay them first.
	AutoUpgrade = "auto_upgrade"
	// Pinned keeps a run on the build that began it. That build's workers must
	// stay until its last run has ended.
	Pinned = "pinned"
)

var checkBehavior = oneOf(AutoUpgrade, Pinned)

func (d Deployment) faults(all *tools.Faults) {
	switch {
	case d.Name == "" && (d.BuildID != "" || d.Behavior != ""):
		all.Add("deployment.name", "required beside build_id and behavior: the name of the deployment")
	case d.Name != "" && d.BuildID == "":
		all.Add("deployment.build_id", "required: which build this is, such as a commit")
	case strings.ContainsAny(d.Name, ". \t"):
		all.Add("deployment.name", "must hold no dots and blanks")
	}
	if d.Behavior != "" {
		reportText(all, "deployment.behavior", d.Behavior, checkBehavior)
	}
}

// apply makes the worker a version of the deployment.
func (d Deployment) apply(o *sdkworker.Options) {
	if d.Name == "" {
		return
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
}
