package conversation

import (
	"encoding/json"
	"fmt"

	"errand/activities"
	"errand/activities/model"
	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Surface is the text of a translate.Surface and its digest.
type Surface struct {
	Text   string
	Digest string
}

// NewSurface is what the model of a request is offered.
func NewSurface(request contract.Request, registry *tools.Registry) Surface {
	s := translate.Surface{
		Model: request.Model, Instructions: request.Instructions,
		ParallelToolCalls: request.ParallelToolCalls, Settings: request.Settings,
		TextCalls: request.Run.TextCalls,
	}
	for _, d := range registry.All() {
		if d.Hidden {
			continue
		}
		s.Tools = append(s.Tools, model.FunctionTool{
			Name: d.ModelName, Description: d.Description, Parameters: d.Parameters, Strict: d.Strict,
		})
		if d.Type == tools.TypeCustom || d.Namespace != "" || d.Name != d.ModelName {
			s.Names = append(s.Names, translate.Name{Visible: d.ModelName, Identity: d.Identity(), Type: d.Type})
		}
	}
	text, err := json.Marshal(s)
	if err != nil { // raw JSON that was decoded before, strings and booleans
		panic(err)
	}
	return Surface{Text: string(text), Digest: item.Digest(text)}
}

// BuildRegistry joins what the caller declared and what discovery found.
func BuildRegistry(request contract.Request, found activities.DiscoverResult, listings map[string]tools.Listing) (*tools.Registry, []string, tools.Faults) {
	var entries []tools.Entry
	var notes []string
	for _, d := range request.Tools {
		for _, listed := range listings[d.Path].Tools {
			listed.Descriptor.MaxUses = d.MaxUses
			entries = append(entries, tools.Entry{Path: d.Path, Descriptor: listed.Descriptor})
		}
		descriptor, ok := found.Found[d.Path]
		switch d.Type {
		case tools.TypeFunction, tools.TypeCustom:
			descriptor, ok = tools.ClientDescriptor(d), true
		case tools.TypeWebSearch, tools.TypeFileSearch, tools.TypeCodeInterpreter:
			if !ok {
				descriptor, ok = tools.HostedDescriptor(d), true
				notes = append(notes, fmt.Sprintf("%s: %s is not offered to the model: this worker has no executor for it", d.Path, d.Type))
			}
		}
		if ok {
			descriptor.MaxUses = d.MaxUses
			entries = append(entries, tools.Entry{Path: d.Path, Descriptor: descriptor})
		}
	}
	tools.NameServerTools(entries)
	registry, warnings, faults := tools.NewRegistry(entries, request.Run.DuplicateTools)
	return registry, append(notes, warnings...), faults
}
