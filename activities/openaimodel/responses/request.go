// Package responses speaks the Responses API. It is Errand's own form: items,
// tool choice and settings leave and arrive byte for byte.
package responses

import (
	"encoding/json"
	"maps"
	"slices"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
)

// API is the Responses API.
var API = protocol.API{
	Path:          "responses",
	Encode:        encode,
	Decode:        decode,
	StreamOptions: rawjson.Object{{Key: "stream", Value: json.RawMessage(`true`)}},
	NewAssembler:  func() protocol.Assembler { return &assembler{} },
}

// encode writes a request.
func encode(request model.Request) (rawjson.Object, error) {
	var body rawjson.Object
	body.Add("model", rawjson.Encode(request.Model))
	if request.Instructions != "" {
		body.Add("instructions", rawjson.Encode(request.Instructions))
	}
	body.Add("input", rawjson.Array(request.Items))
	protocol.AddTools(&body, request.Tools, encodeTool, request.ToolChoice, request.ParallelToolCalls)
	for _, key := range slices.Sorted(maps.Keys(request.Settings)) {
		if !protocol.IsOwnField(key) {
			body.Add(key, request.Settings[key])
		}
	}
	return body, nil
}

func encodeTool(tool model.FunctionTool) json.RawMessage {
	written := rawjson.Object{{Key: "type", Value: json.RawMessage(`"function"`)}}
	protocol.AddFunction(&written, tool)
	return written.Encode()
}
