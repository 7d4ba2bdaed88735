// Package chat translates between Errand's form of a request and an answer, that
// of the Responses API, and Chat Completions.
package chat

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
)

// API is Chat Completions.
var API = protocol.API{
	Path:   "chat/completions",
	Encode: encode,
	Decode: decode,
	StreamOptions: rawjson.Object{
		{Key: "stream", Value: json.RawMessage(`true`)},
		{Key: "stream_options", Value: json.RawMessage(`{"include_usage":true}`)},
	},
	NewAssembler: func() protocol.Assembler { return &assembler{} },
}

// encode writes a request.
func encode(request model.Request) (rawjson.Object, error) {
	messages, err := encodeMessages(request)
	if err != nil {
		return nil, err
	}
	tools, choice, err := encodeToolChoice(request)
	if err != nil {
		return nil, err
	}
	settings, err := encodeSettings(request.Settings)
	if err != nil {
		return nil, err
	}
	var body rawjson.Object
	body.Add("model", rawjson.Encode(request.Model))
	body.Add("messages", rawjson.Array(messages))
	protocol.AddTools(&body, tools, encodeTool, choice, request.ParallelToolCalls)
	return append(body, settings...), nil
}

func encodeTool(tool model.FunctionTool) json.RawMessage {
	var function rawjson.Object
	protocol.AddFunction(&function, tool)
	return typed("function", function)
}

// toolChoice is the object form of tool_choice in the Responses API.
type toolChoice struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Mode  string `json:"mode"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// encodeToolChoice translates tool_choice and narrows the tools to the allowed
// ones: few chat servers know allowed_tools, all know a shorter list. The choice
// is nil when there is none to send.
func encodeToolChoice(request model.Request) ([]model.FunctionTool, json.RawMessage, error) {
	var mode string
	if rawjson.IsNull(request.ToolChoice) || len(request.Tools) == 0 {
		return request.Tools, nil, nil
	}
	if json.Unmarshal(request.ToolChoice, &mode) == nil {
		return request.Tools, request.ToolChoice, nil
	}
	var asked toolChoice
	if err := json.Unmarshal(request.ToolChoice, &asked); err != nil {
		return nil, nil, protocol.RequestError("tool_choice is neither a string nor an object of the Responses API: " + err.Error())
	}
	switch {
	case asked.Type == "function" && asked.Name != "":
		return request.Tools, typed("function", rawjson.Object{{Key: "name", Value: rawjson.Encode(asked.Name)}}), nil
	case asked.Type == "allowed_tools":
		return keepAllowed(request.Tools, asked)
	}
	return nil, nil, protocol.RequestError(fmt.Sprintf("tool_choice of type %q and name %q has no form in Chat Completions", asked.Type, asked.Name))
}

func keepAllowed(tools []model.FunctionTool, asked toolChoice) ([]model.FunctionTool, json.RawMessage, error) {
	kept := slices.DeleteFunc(slices.Clone(tools), func(tool model.FunctionTool) bool {
		for _, one := range asked.Tools {
			if one.Name == tool.Name {
				return false
			}
		}
		return true
	})
	if len(kept) == 0 && asked.Mode == "required" {
		return nil, nil, protocol.RequestError("tool_choice requires one of its allowed_tools, and none of them is declared")
	}
	if asked.Mode == "" {
		return kept, nil, nil
	}
	return kept, rawjson.Encode(asked.Mode), nil
}
