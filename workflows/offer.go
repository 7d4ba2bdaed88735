package workflows

import (
	"errand/activities"
	"errand/tools"
)

// Offer is what the tools of a request come to, with what discovery found: the
// registry of a run, its warnings and its faults. It is for programs that show
// what a run would see.
func Offer(request Request, found activities.DiscoverResult) (*tools.Registry, []string, tools.Faults) {
	registry, warnings, faults := buildRegistry(request, found)
	return registry, append(append([]string{}, request.Warnings...), warnings...), faults
}
