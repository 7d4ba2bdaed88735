package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools/item"
)

// discover resolves the declarations, once for the run. Nothing is opened.
func (r *run) discover(ctx workflow.Context) (activities.DiscoverResult, error) {
	var in activities.DiscoverInput
	for _, d := range r.request.Tools {
		if d.Known() {
			in.Declarations = append(in.Declarations, d)
		}
	}
	if r.request.Run.MaxCost > 0 {
		in.Priced = r.request.Model
	}
	if len(in.Declarations) == 0 && in.Priced == "" {
		return activities.DiscoverResult{}, nil
	}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions("discover tools"))
	return performLocal(ctx, acts.Discover, in)
}

// listServers records what became of the declared MCP servers. A server whose
// tools cannot be had is a failed listing, and the run goes on (VL-12).
func (r *run) listServers() {
	const reason = "this worker has no MCP client"
	for i, d := range r.request.Tools {
		if d.Server == nil {
			continue
		}
		r.report.output = append(r.report.output, item.FailedListing(fmt.Sprintf("mcpl_%d", i), d.Server.Label, reason))
		r.report.warn(fmt.Sprintf("%s: the tools of server %q are not offered: %s", d.Path, d.Server.Label, reason))
	}
}
