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
// run takes. A nil request declares everything that this worker has. Nothing is
// started, and no model is asked.
func (w *Worker) Offer(ctx context.Context, request []byte) (Offer, error) {
	if request == nil {
		request = w.everything()
	}
	decoded, faults := workflows.DecodeRequest(request)
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
	registry, warnings, clashes := workflows.Offer(decoded, found)
	out := Offer{Tools: []OfferedTool{}, Warnings: warnings, Faults: append(append(append(tools.Faults{}, faults...), found.Faults...), clashes...)}
	for _, d := range registry.All() {
		out.Tools = append(out.Tools, offered(d))
	}
	return out, nil
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
	return []byte(`{"model":"any","input":"any","tools":[` + strings.Join(all, ",") + `]}`)
}

func offered(d tools.Descriptor) OfferedTool {
	return OfferedTool{
		Name: d.Identity().String(), Visible: d.Name, Type: d.Type, Owner: d.Owner, Source: d.Source,
		Offered: !d.Hidden, Effect: d.Effect, Writes: d.Capabilities.Writes, Checkpointable: d.Capabilities.Checkpointable,
		ParallelSafe: d.ParallelSafe, Sequential: d.Sequential, MaxUses: d.MaxUses, Timeout: d.Timeout,
		Description: d.Description, Parameters: d.Parameters,
	}
}
