package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/activities"
)

// discover resolves the declarations, once for the run. Nothing is opened.
func (r *run) discover(ctx workflow.Context) (activities.DiscoverResult, error) {
	var in activities.DiscoverInput
	for _, d := range r.Request.Tools {
		if d.Known() {
			in.Declarations = append(in.Declarations, d)
		}
	}
	if r.Request.Run.MaxCost > 0 {
		in.Priced = r.Request.Model
	}
	if len(in.Declarations) == 0 && in.Priced == "" {
		return activities.DiscoverResult{}, nil
	}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions("discover tools"))
	return performLocal(ctx, acts.Discover, in)
}
