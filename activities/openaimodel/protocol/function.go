package protocol

import (
	"encoding/json"
	"slices"

	"errand/activities/model"
	"errand/activities/openaimodel/rawjson"
)

// AddFunction adds the members that both APIs have for a tool.
func AddFunction(to *rawjson.Object, tool model.FunctionTool) {
	to.Add("name", rawjson.Encode(tool.Name))
	if tool.Description != "" {
		to.Add("description", rawjson.Encode(tool.Description))
	}
	to.Add("parameters", parameters(tool.Parameters))
	if tool.Strict != nil {
		to.Add("strict", rawjson.Encode(*tool.Strict))
	}
}

// AddTools adds a list of tools, each written by encode, and what is to be said
// about them. Without tools there is nothing to choose: servers reject all three
// fields then, and an empty list of tools as well.
func AddTools(to *rawjson.Object, tools []model.FunctionTool, encode func(model.FunctionTool) json.RawMessage, choice json.RawMessage, parallel *bool) {
	if len(tools) == 0 {
		return
	}
	all := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		all[i] = encode(tool)
	}
	to.Add("tools", rawjson.Array(all))
	if !rawjson.IsNull(choice) {
		to.Add("tool_choice", choice)
	}
	if parallel != nil {
		to.Add("parallel_tool_calls", rawjson.Encode(*parallel))
	}
}

// noParameters is the schema of a tool that takes nothing. Servers reject an
// absent one, null and {}.
const noParameters = `{"type":"object","properties":{}}`

// parameters completes a schema to what every server accepts: an object with a
// type and properties. A complete one is returned as it is; of an incomplete
// one all keys stay.
func parameters(schema json.RawMessage) json.RawMessage {
	all, err := rawjson.ParseObject(schema)
	if err != nil || len(all) == 0 {
		return json.RawMessage(noParameters)
	}
	all = slices.DeleteFunc(all, func(m rawjson.Member) bool {
		return (m.Key == "type" || m.Key == "properties") && rawjson.IsNull(m.Value)
	})
	hasType, hasProperties := all.Get("type") != nil, all.Get("properties") != nil
	if hasType && hasProperties {
		return schema
	}
	if !hasType {
		all = slices.Insert(all, 0, rawjson.Member{Key: "type", Value: json.RawMessage(`"object"`)})
	}
	if !hasProperties {
		all.Add("properties", json.RawMessage(`{}`))
	}
	return all.Encode()
}
