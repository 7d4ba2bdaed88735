package workflows

import (
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

// accept decodes the request and discovers its tools. Every fault that either
// of them finds is reported together.
func (r *run) accept(ctx workflow.Context, argument converter.RawValue) (ending, bool) {
	request, faults := readRequest(ctx, argument.Payload().GetData())
	r.Request = request
	r.Report.Warn(request.Warnings...)
	found, err := r.discover(ctx)
	if err != nil {
		return r.failure(ctx, err), true
	}
	faults = append(faults, found.Faults...)
	listings, err := r.listServers(ctx, &faults)
	if err != nil {
		return r.failure(ctx, err), true
	}
	registry, warnings, clashes := conversation.BuildRegistry(request, found, listings)
	faults = append(faults, clashes...)
	if len(faults) > 0 {
		return invalid(faults), true
	}
	r.registry = registry
	r.Report.Warn(warnings...)
	r.Report.Status = contract.InProgress
	r.Report.Model = request.Model
	r.surface = conversation.NewSurface(request, registry)
	r.record(ctx, contract.Event{Type: contract.EventRunStart, Status: string(contract.InProgress)})
	for _, it := range request.Input {
		r.Conversation.Add(it)
	}
	r.showServers(ctx, listings)
	return ending{}, false
}

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

// Offer is what the tools of a request come to, with what discovery found and
// what MCP servers list, by the path of their declaration: the registry of a run,
// its warnings and its faults. It is for programs that show
// what a run would see.
func Offer(request contract.Request, found activities.DiscoverResult, listings map[string]tools.Listing) (*tools.Registry, []string, tools.Faults) {
	registry, warnings, faults := conversation.BuildRegistry(request, found, listings)
	return registry, append(append([]string{}, request.Warnings...), warnings...), faults
}
