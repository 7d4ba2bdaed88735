package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/schema"
)

// DiscoverInput holds the declarations of a request.
type DiscoverInput struct {
	Declarations []tools.Declaration `json:"declarations"`
	// Priced is a model whose price must be known; empty is none.
	Priced string `json:"priced,omitempty"`
}

// DiscoverResult holds what the workflow cannot know: the descriptors of tools
// that live in the worker, and what is wrong with the caller's schemas.
type DiscoverResult struct {
	// Found are the descriptors of gateway-owned tools by the path of their
	// declaration.
	Found  map[string]tools.Descriptor `json:"found,omitempty"`
	Faults tools.Faults                `json:"faults,omitempty"`
}

// Discover resolves declarations without opening anything.
func (a *Activities) Discover(ctx context.Context, in DiscoverInput) (DiscoverResult, error) {
	var out DiscoverResult
	work := schema.NewBudget(ctx)
	if in.Priced != "" && !a.priced(in.Priced) {
		out.Faults.Add("run.max_cost", fmt.Sprintf("the worker knows no price for model %q: add it to the prices of its configuration, or use max_tokens", in.Priced))
	}
	for _, d := range in.Declarations {
		switch d.Type {
		case tools.TypePlatform:
			found, ok := a.platform(d.Name)
			if !ok {
				out.Faults.Add(d.Path+".name", fmt.Sprintf("no platform tool %q is registered on the worker", d.Name))
				continue
			}
			out.add(d, found)
		case tools.TypeWebSearch:
			if source, ok := a.sources[tools.SourceWebSearch].(DeclaredSource); ok {
				out.add(d, source.Declared(d))
			}
		case tools.TypeFunction, tools.TypeCustom:
			a.checkSchema(work, d.Path+".parameters", d.Parameters, &out.Faults)
			a.checkSchema(work, d.Path+".output_schema", d.OutputSchema, &out.Faults)
		}
	}
	if size := tools.EncodedSize(out.Found); size > MaxDescriptors {
		out.Faults.Add("tools", fmt.Sprintf("the platform tools' descriptions have %d bytes together, at most %d are taken: declare fewer", size, MaxDescriptors))
		out.Found = nil
	}
	out.Faults = out.Faults.Bounded(maxFaults)
	return out, ctx.Err()
}

func (r *DiscoverResult) add(d tools.Declaration, found tools.Descriptor) {
	if r.Found == nil {
		r.Found = map[string]tools.Descriptor{}
	}
	r.Found[d.Path] = found
}

// maxFaults bounds the faults that enter history.
const maxFaults = 200

func (a *Activities) platform(name string) (tools.Descriptor, bool) {
	for _, from := range []string{tools.SourcePlatform, tools.SourceDelegate} {
		if source, ok := a.sources[from]; ok {
			if found, ok := source.Describe(name); ok {
				return found, true
			}
		}
	}
	return tools.Descriptor{}, false
}

func (a *Activities) checkSchema(work *schema.Budget, path string, raw json.RawMessage, faults *tools.Faults) {
	if raw == nil {
		return
	}
	if _, err := a.caches.schemas.GetWithin(work, raw); err != nil {
		faults.Add(path, err.Error())
	}
}

// Servers are the MCP servers that a worker can reach.
type Servers interface {
	// List finds the tools of a declared server. What is wrong with the
	// declaration is a fault under path; a server that is down is a failure of the
	// listing. An error is the context's own, or the machine's.
	List(ctx context.Context, server tools.ServerDeclaration, path string) (tools.Listing, error)
}

// ListServerInput is one mcp declaration.
type ListServerInput struct {
	// Path is where the declaration stands in the request.
	Path   string                  `json:"path"`
	Server tools.ServerDeclaration `json:"server"`
}

// MaxTools bounds the tools of servers in a run, after allowed_tools.
const MaxTools = 512

// MaxDescriptors bounds what descriptors bring into the history of a run, in
// bytes.
const MaxDescriptors = 3 << 19

// maxWarnings bounds what a listing has to say.
const maxWarnings = 50

// ListServer finds the tools of one server, once a run.
func (a *Activities) ListServer(ctx context.Context, in ListServerInput) (tools.Listing, error) {
	ctx, done := a.shutdown.ends(ctx)
	defer done()
	defer beat(ctx, noDetails)()
	if a.servers == nil {
		return tools.Listing{Failure: "this worker has no MCP client"}, nil
	}
	out, err := a.servers.List(ctx, in.Server, in.Path)
	if err != nil {
		if ctx.Err() != nil {
			return tools.Listing{}, stopped(ctx, Heartbeat{})
		}
		return tools.Listing{}, err
	}
	if n := len(out.Tools); n > MaxTools {
		out.Faults.Add(in.Path, fmt.Sprintf("server %q has %d tools, at most %d are taken in a run: name fewer in allowed_tools", in.Server.Label, n, MaxTools))
		out.Tools = nil
	}
	if size := tools.EncodedSize(out.Tools); size > MaxDescriptors {
		out.Faults.Add(in.Path, fmt.Sprintf("the tools of server %q have %d bytes of description together, at most %d are taken in a run: name fewer in allowed_tools",
			in.Server.Label, size, MaxDescriptors))
		out.Tools = nil
	}
	out.Faults = out.Faults.Bounded(maxFaults)
	out.Failure = cut(out.Failure)
	if left := len(out.Warnings) - maxWarnings; left > 0 {
		out.Warnings = append(out.Warnings[:maxWarnings:maxWarnings], fmt.Sprintf("server %q: … and %d more warnings", in.Server.Label, left))
	}
	for i, w := range out.Warnings {
		out.Warnings[i] = cut(w)
	}
	return out, nil
}
