package workflows

import (
	"encoding/json"

	"errand/activities"
	"errand/tools"
)

// surface is the text of an activities.Surface and its digest.
type surface struct {
	text   string
	digest string
}

func newSurface(request Request, registry *tools.Registry) surface {
	s := activities.Surface{
		Model: request.Model, Instructions: request.Instructions,
		ParallelToolCalls: request.ParallelToolCalls, Settings: request.Settings,
		Names: map[string]string{},
	}
	for _, d := range registry.All() {
		s.Tools = append(s.Tools, activities.FunctionTool{
			Name: d.Name, Description: d.Description, Parameters: d.Parameters, Strict: d.Strict,
		})
		if d.PublicName() != d.Name {
			s.Names[d.PublicName()] = d.Name
		}
	}
	text, err := json.Marshal(s)
	if err != nil { // raw JSON that was decoded before, strings and booleans
		panic(err)
	}
	return surface{text: string(text), digest: activities.Digest(text)}
}

// buildRegistry joins what the caller declared and what discovery found.
func buildRegistry(request Request, found activities.DiscoverResult) (*tools.Registry, []string, tools.Faults) {
	var entries []tools.Entry
	for _, d := range request.Tools {
		switch d.Type {
		case tools.TypeFunction:
			entries = append(entries, tools.Entry{Path: d.Path, Descriptor: clientDescriptor(d)})
		case tools.TypePlatform:
			if descriptor, ok := found.Found[d.Path]; ok {
				entries = append(entries, tools.Entry{Path: d.Path, Descriptor: descriptor})
			}
		}
	}
	return tools.NewRegistry(entries, request.Run.Duplicates)
}

func clientDescriptor(d tools.Declaration) tools.Descriptor {
	return tools.Descriptor{
		Name: tools.VisibleName(d.Type+":"+d.Name, d.Name), Public: d.Name, Type: d.Type,
		Owner: tools.OwnedByClient, Description: d.Description, Parameters: d.Parameters,
		OutputSchema: d.OutputSchema, Strict: d.Strict, ParallelSafe: true,
		Capabilities: tools.Capabilities{
			Writes: d.Writes == nil || *d.Writes, Checkpointable: d.Checkpointable,
		},
	}
}
