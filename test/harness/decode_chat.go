package harness

import (
	"encoding/json"
	"fmt"

	"errand/tools/item"
)

// chatMessage is one message of a chat request.
type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []chatCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func decodeChat(request Request) (Decoded, error) {
	var body struct {
		Model    string        `json:"model"`
		Messages []chatMessage `json:"messages"`
		Tools    []struct {
			Type     string `json:"type"`
			Function Tool   `json:"function"`
		} `json:"tools"`
		ToolChoice json.RawMessage `json:"tool_choice"`
		Parallel   *bool           `json:"parallel_tool_calls"`
		Stream     bool            `json:"stream"`
	}
	if err := json.Unmarshal(request.Body, &body); err != nil {
		return Decoded{}, fmt.Errorf("the body is not a Chat Completions request: %w", err)
	}
	decoded := Decoded{
		API: ChatAPI, Model: body.Model, ToolChoice: body.ToolChoice,
		ParallelToolCalls: body.Parallel, Stream: body.Stream, Request: request,
	}
	for _, tool := range body.Tools {
		tool.Function.Type = tool.Type
		decoded.Tools = append(decoded.Tools, tool.Function)
	}
	for i, message := range body.Messages {
		if i == 0 && (message.Role == "system" || message.Role == "developer") {
			decoded.Instructions = item.Text(item.MessageWith(message.Role, message.Content))
			continue
		}
		decoded.Items = append(decoded.Items, message.items()...)
	}
	return decoded, nil
}

// items is what one message says, in the shape of Responses items.
func (m chatMessage) items() []json.RawMessage {
	if m.Role == "tool" {
		return []json.RawMessage{item.Output(item.TypeFunctionCallOutput, m.ToolCallID, plain(m.Content))}
	}
	var items []json.RawMessage
	if empty := string(m.Content); empty != "" && empty != "null" && empty != `""` {
		items = append(items, item.MessageWith(m.Role, m.Content))
	}
	for _, call := range m.ToolCalls {
		items = append(items, item.FunctionCall(call.ID, call.Function.Name, call.Function.Arguments))
	}
	return items
}
