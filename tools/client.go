package tools

import "encoding/json"

// customParameters are what the model sees of a custom tool: one string.
var customParameters = json.RawMessage(
	`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`)

// ClientDescriptor is the descriptor of a function or custom tool, which whoever
// started the run executes, whatever has the same name elsewhere (VL-6).
func ClientDescriptor(d Declaration) Descriptor {
	out := Descriptor{
		ModelName: FlatName(d.Identity()), Name: d.Name, Namespace: d.Namespace, Type: d.Type,
		Owner: OwnedByClient, Description: d.Description, Parameters: d.Parameters,
		OutputSchema: d.OutputSchema, ParallelSafe: true,
		Capabilities: Capabilities{Writes: d.Writes == nil || *d.Writes, Checkpointable: d.Checkpointable},
		ClientTool:   ClientTool{Strict: d.Strict, ClientTimeout: d.ClientTimeout},
	}
	if d.Type == TypeCustom {
		out.Parameters = customParameters
		out.Description = describeFormat(d.Description, d.Format)
	}
	return out
}

// FlatName is the model-visible name of a client-owned tool. The hash, where one
// is needed, is of the identity, and no flat name is ever taken apart again.
func FlatName(id Identity) string {
	if id.Namespace == "" {
		return VisibleName("client:"+id.Name, id.Name)
	}
	return VisibleName("namespace:"+id.Namespace+"/"+id.Name, id.Namespace+"__"+id.Name)
}

// describeFormat tells the model what the text must look like.
func describeFormat(description string, f *Format) string {
	if f == nil || f.Type != "grammar" {
		return description
	}
	return joinDescriptions(description, "The input must follow this "+f.Syntax+" grammar:\n"+f.Definition)
}

// HostedDescriptor is the descriptor of a gateway-owned tool that no worker has
// an executor for: it is in the registry, so that a call to it is an error
// outcome and never a silent drop (VL-7).
func HostedDescriptor(d Declaration) Descriptor {
	return Descriptor{
		ModelName: d.Name, Name: d.Name, Type: d.Type, Owner: OwnedByGateway, ParallelSafe: true,
		Capabilities: Capabilities{Writes: d.Type != TypeWebSearch && d.Type != TypeFileSearch},
		GatewayTool:  GatewayTool{Effect: EffectRead, MaxUses: d.MaxUses, Hidden: true},
	}
}
