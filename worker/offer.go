package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand/activities"
	"errand/tools"
	"errand/workflows"
	"errand/workflows/contract"
)

// Offer is what a run would see of the tools that its request declares.
type Offer struct {
	// Tools are in declaration order.
	Tools    []OfferedTool `json:"tools"`
	Warnings []string      `json:"warnings"`
	// Faults would fail the run with InvalidRequest.
	Faults tools.Faults `json:"faults"`
}

// OfferedTool is one tool of an Offer.
type OfferedTool struct {
	// Name is the public name, with its namespace; Visible the one that the
	// model is shown.
	Name    string          `json:"name"`
	Visible string          `json:"model_name"`
	Type    string          `json:"type"`
	Owner   tools.Ownership `json:"owner"`
	// Source is where a gateway-owned tool comes from; empty for a client's, and
	// for one that nobody executes.
	Source string `json:"source,omitempty"`
	// Offered is false for a tool that the model is not shown.
	Offered        bool            `json:"offered"`
	Effect         tools.Effect    `json:"effect,omitempty"`
	Writes         bool            `json:"writes"`
	Checkpointable bool            `json:"checkpointable"`
	ParallelSafe   bool            `json:"parallel_safe"`
	Sequential     bool            `json:"sequential,omitempty"`
	MaxUses        int             `json:"max_uses,omitempty"`
	Timeout        time.Duration   `json:"timeout,omitempty"`
	Description    string          `json:"description,omitempty"`
	Parameters     json.RawMessage `json:"parameters,omitempty"`
}

// Offer says what a run with this request would see, by the same steps that a
// run takes. A nil request declares everything that this worker has. MCP servers
// that it declares are asked for their tools; Stop closes them. No model is asked.
func (w *Worker) Offer(ctx context.Context, request []byte) (Offer, error) {
	if request == nil {
		request = w.everything()
	}
	decoded, faults := contract.DecodeRequest(request)
	var in activities.DiscoverInput
	for _, d := range decoded.Tools {
		if d.Known() {
			in.Declarations = append(in.Declarations, d)
		}
	}
	found, err := w.activities.Discover(ctx, in)
	if err != nil {
		return Offer{}, fmt.Errorf("worker: look tools up: %w", err)
	}
	faults = append(append(tools.Faults{}, faults...), found.Faults...)
	listings, down, err := w.listServers(ctx, decoded, &faults)
	if err != nil {
		return Offer{}, err
	}
	registry, warnings, clashes := workflows.Offer(decoded, found, listings)
	out := Offer{Tools: []OfferedTool{}, Warnings: append(warnings, down...), Faults: append(faults, clashes...)}
	for _, d := range registry.All() {
		out.Tools = append(out.Tools, offered(d))
	}
	return out, nil
}

// listServers asks the declared MCP servers for their tools, as a run does. The
// warnings say which of them are down.
func (w *Worker) listServers(ctx context.Context, request contract.Request, faults *tools.Faults) (map[string]tools.Listing, []string, error) {
	listings := map[string]tools.Listing{}
	var warnings []string
	for _, d := range request.Tools {
		if d.Server == nil {
			continue
		}
		listing, err := w.servers.List(ctx, *d.Server, d.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("worker: list the tools of server %q: %w", d.Server.Label, err)
		}
		listings[d.Path] = listing
		*faults = append(*faults, listing.Faults...)
		warnings = append(warnings, listing.Warnings...)
		if listing.Failure != "" {
			warnings = append(warnings, fmt.Sprintf("%s: the tools of server %q are not offered: %s", d.Path, d.Server.Label, listing.Failure))
		}
	}
	return listings, warnings, nil
}

// everything is a request that declares all that the worker has by itself.
func (w *Worker) everything() []byte {
	var all []string
	for _, name := range w.known {
		all = append(all, fmt.Sprintf(`{"type":"platform","name":%q}`, name))
	}
	if w.config.Search.Provider != "" {
		all = append(all, `{"type":"web_search"}`)
	}
	for _, name := range w.config.MCP.Names() {
		all = append(all, fmt.Sprintf(`{"type":"mcp","server_label":%q}`, name))
	}
	return []byte(`{"model":"any","input":"any","tools":[` + strings.Join(all, ",") + `]}`)
}

func offered(d tools.Descriptor) OfferedTool {
	return OfferedTool{
		Name: d.Identity().String(), Visible: d.ModelName, Type: d.Type, Owner: d.Owner, Source: d.Source,
		Offered: !d.Hidden, Effect: d.Effect, Writes: d.Capabilities.Writes, Checkpointable: d.Capabilities.Checkpointable,
		ParallelSafe: d.ParallelSafe, Sequential: d.Sequential, MaxUses: d.MaxUses, Timeout: d.Timeout,
		Description: d.Description, Parameters: d.Parameters,
	}
}
