package workflows

import (
	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

// Offer is what the tools of a request come to, with what discovery found and
// what MCP servers list, by the path of their declaration: the registry of a run,
// its warnings and its faults. It is for programs that show
// what a run would see.
func Offer(request contract.Request, found activities.DiscoverResult, listings map[string]tools.Listing) (*tools.Registry, []string, tools.Faults) {
	registry, warnings, faults := conversation.BuildRegistry(request, found, listings)
	return registry, append(append([]string{}, request.Warnings...), warnings...), faults
}
