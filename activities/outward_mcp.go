package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// outwardServerCall turns a call of an MCP server, from the output of an earlier
// run or of OpenAI's own service, into what every model takes: a function call
// and its output.
func (b *border) outwardServerCall(raw json.RawMessage, head item.Head) []json.RawMessage {
	var call struct {
		Server    string          `json:"server_label"`
		Arguments string          `json:"arguments"`
		Output    *string         `json:"output"`
		Error     json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &call) != nil {
		return nil
	}
	output := string(call.Error)
	if call.Output != nil {
		output = *call.Output
	}
	if !json.Valid([]byte(call.Arguments)) {
		call.Arguments = "{}"
	}
	name := b.visible(tools.Identity{Namespace: call.Server, Name: head.Name})
	return []json.RawMessage{
		item.FunctionCall(head.ID, name, call.Arguments),
		item.Output(item.TypeFunctionCallOutput, head.ID, output),
	}
}
