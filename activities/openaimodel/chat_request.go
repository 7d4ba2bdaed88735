package openaimodel

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/activities"
)

// encodeChat writes a request of the Chat Completions API.
func encodeChat(request activities.ModelRequest) (*object, error) {
	messages, err := chatMessages(request)
	if err != nil {
		return nil, err
	}
	tools, choice, err := chatChoice(request)
	if err != nil {
		return nil, err
	}
	settings, err := chatSettings(request.Settings)
	if err != nil {
		return nil, err
	}
	var body object
	body.raw("model", encode(request.Model))
	body.list("messages", messages)
	if len(tools) > 0 {
		body.list("tools", chatTools(tools))
		if choice != nil {
			body.raw("tool_choice", choice)
		}
		if request.ParallelToolCalls != nil {
			body.raw("parallel_tool_calls", encode(*request.ParallelToolCalls))
		}
	}
	for _, setting := range settings {
		body.raw(setting.key, setting.value)
	}
	return &body, nil
}

func chatTools(tools []activities.FunctionTool) []json.RawMessage {
	all := make([]json.RawMessage, len(tools))
	for i, tool := range tools {
		var function, written object
		writeFunction(&function, tool)
		written.raw("type", []byte(`"function"`))
		written.raw("function", function.bytes())
		all[i] = written.bytes()
	}
	return all
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

// chatChoice translates tool_choice and narrows the tools to the allowed ones:
// few chat servers know allowed_tools, all know a shorter list. The choice is
// nil when there is none to send.
func chatChoice(request activities.ModelRequest) ([]activities.FunctionTool, json.RawMessage, error) {
	var mode string
	if absent(request.ToolChoice) || len(request.Tools) == 0 {
		return request.Tools, nil, nil
	}
	if json.Unmarshal(request.ToolChoice, &mode) == nil {
		return request.Tools, request.ToolChoice, nil
	}
	var asked toolChoice
	if err := json.Unmarshal(request.ToolChoice, &asked); err != nil {
		return nil, nil, requestFault("tool_choice is neither a string nor an object of the Responses API: " + err.Error())
	}
	switch {
	case asked.Type == "function" && asked.Name != "":
		type named struct {
			Name string `json:"name"`
		}
		return request.Tools, encode(struct {
			Type     string `json:"type"`
			Function named  `json:"function"`
		}{"function", named{asked.Name}}), nil
	case asked.Type == "allowed_tools":
		return allowed(request.Tools, asked)
	}
	return nil, nil, requestFault(fmt.Sprintf("tool_choice of type %q and name %q has no form in Chat Completions", asked.Type, asked.Name))
}

func allowed(tools []activities.FunctionTool, asked toolChoice) ([]activities.FunctionTool, json.RawMessage, error) {
	kept := slices.DeleteFunc(slices.Clone(tools), func(tool activities.FunctionTool) bool {
		for _, one := range asked.Tools {
			if one.Name == tool.Name {
				return false
			}
		}
		return true
	})
	if len(kept) == 0 && asked.Mode == "required" {
		return nil, nil, requestFault("tool_choice requires one of its allowed_tools, and none of them is declared")
	}
	if asked.Mode == "" {
		return kept, nil, nil
	}
	return kept, encode(asked.Mode), nil
}
