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

// maxDescriptors bounds what discovery brings into history.
const maxDescriptors = 3 << 19

// Discover resolves declarations without opening anything (CL-2).
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
	if size := tools.EncodedSize(out.Found); size > maxDescriptors {
		out.Faults.Add("tools", fmt.Sprintf("the platform tools' descriptions have %d bytes together, at most %d are taken: declare fewer", size, maxDescriptors))
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
	if _, err := a.held.schemas.GetWithin(work, raw); err != nil {
		faults.Add(path, err.Error())
	}
}
