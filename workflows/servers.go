package workflows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// maxServers bounds the MCP servers of a run.
const maxServers = 64

// listServers asks every declared server for its tools, all at once. A server
// that is down is a failed listing, and the run goes on; what is wrong
// with a declaration is a fault of the request.
func (r *run) listServers(ctx workflow.Context, faults *tools.Faults) (map[string]tools.Listing, error) {
	var declared []tools.Declaration
	for _, d := range r.Request.Tools {
		if d.Server != nil {
			declared = append(declared, d)
		}
	}
	switch {
	case len(declared) == 0:
		return nil, nil
	case len(declared) > maxServers:
		faults.Add("tools", fmt.Sprintf("%d MCP servers are declared, at most %d are taken in a run", len(declared), maxServers))
	}
	if len(*faults) > 0 { // nothing is asked for a request that cannot run
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, temporal.NewCanceledError()
	}
	asked := make([]workflow.Future, len(declared))
	for i, d := range declared {
		options := workflow.WithActivityOptions(ctx, listOptions(i, d.Server.Label))
		asked[i] = workflow.ExecuteActivity(options, acts.ListServer, activities.ListServerInput{Path: d.Path, Server: *d.Server})
	}
	listings := map[string]tools.Listing{}
	for i, d := range declared {
		var listing tools.Listing
		if err := asked[i].Get(ctx, &listing); err != nil {
			if ctx.Err() != nil || temporal.IsCanceledError(err) {
				return nil, err
			}
			listing = tools.Listing{Failure: "the server could not be asked for its tools: " + reasonOf(err)}
		}
		listings[d.Path] = listing
		*faults = append(*faults, listing.Faults...)
	}
	checkLimits(declared, listings, faults)
	return listings, nil
}

func listOptions(index int, label string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		ActivityID:          fmt.Sprintf("0/%d/list", index),
		StartToCloseTimeout: 5 * time.Minute,
		HeartbeatTimeout:    activities.HeartbeatTimeout,
		WaitForCancellation: true,
		Summary:             summary("list the tools of %s", label),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second, MaximumAttempts: 5,
		},
	}
}

func reasonOf(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	return err.Error()
}

// checkLimits bounds what all servers bring together.
func checkLimits(declared []tools.Declaration, listings map[string]tools.Listing, faults *tools.Faults) {
	count, size := 0, 0
	for _, d := range declared {
		count += len(listings[d.Path].Tools)
		size += tools.EncodedSize(listings[d.Path].Tools)
	}
	if count > activities.MaxTools {
		faults.Add("tools", fmt.Sprintf("the MCP servers have %d tools together, at most %d are taken in a run: name fewer in allowed_tools", count, activities.MaxTools))
	}
	if size > activities.MaxDescriptors {
		faults.Add("tools", fmt.Sprintf("the tools of the MCP servers have %d bytes of description together, at most %d are taken in a run: name fewer in allowed_tools", size, activities.MaxDescriptors))
	}
}

// showServers publishes what became of the declared servers, in the order of
// their declarations. A list that the input has already is not repeated.
func (r *run) showServers(ctx workflow.Context, listings map[string]tools.Listing) {
	for i, d := range r.Request.Tools {
		listing, listed := listings[d.Path]
		if d.Server == nil || !listed {
			continue
		}
		r.Report.Warn(listing.Warnings...)
		id := fmt.Sprintf("mcpl_%d", i)
		event := contract.Event{Type: contract.EventListTools, Server: d.Server.Label, Status: "completed"}
		if listing.Failure != "" {
			r.Report.Publish(item.FailedListing(id, d.Server.Label, listing.Failure))
			r.Report.Warn(fmt.Sprintf("%s: the tools of server %q are not offered: %s", d.Path, d.Server.Label, listing.Failure))
			event.Status, event.Reason = "failed", short(listing.Failure)
		} else if shown := publicTools(listing.Tools); !r.listedBefore(d.Server.Label, shown) {
			it := item.Listing(id, d.Server.Label, shown)
			r.Report.Publish(it)
			event.Size = len(it)
		}
		r.record(ctx, event)
	}
}

func publicTools(all []tools.Listed) []item.ListedTool {
	shown := make([]item.ListedTool, len(all))
	for i, t := range all {
		shown[i] = item.ListedTool{
			Name: t.Descriptor.Remote.Tool, Description: t.Descriptor.Description,
			InputSchema: t.Descriptor.Parameters, Annotations: t.Annotations,
		}
	}
	return shown
}

// listedBefore tells whether the input has the same list of the same server.
func (r *run) listedBefore(label string, shown []item.ListedTool) bool {
	now, err := json.Marshal(shown)
	if err != nil {
		return false
	}
	for _, raw := range r.Request.Input {
		var earlier struct {
			Type   string            `json:"type"`
			Server string            `json:"server_label"`
			Tools  []item.ListedTool `json:"tools"`
			Error  any               `json:"error"`
		}
		if json.Unmarshal(raw, &earlier) != nil || earlier.Type != item.TypeListTools || earlier.Server != label || earlier.Error != nil {
			continue
		}
		if before, err := json.Marshal(earlier.Tools); err == nil && bytes.Equal(before, now) {
			return true
		}
	}
	return false
}

// server is the declaration that a call of a server's tool needs; nil for any
// other. Only what leads to the server is in it.
func (r *run) server(c *actions.Call) *tools.ServerDeclaration {
	if c.Descriptor.Remote == nil {
		return nil
	}
	for _, d := range r.Request.Tools {
		if d.Server != nil && d.Server.Label == c.Descriptor.Remote.Server {
			return &tools.ServerDeclaration{
				Label: d.Server.Label, URL: d.Server.URL, Authorization: d.Server.Authorization, Headers: d.Server.Headers,
			}
		}
	}
	return nil
}
