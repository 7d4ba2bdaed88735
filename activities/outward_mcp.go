package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// outwardServer turns items about MCP servers, from the output of an earlier
// run or of OpenAI's own service, into what every model takes: a call is a
// function call and its output; lists and approvals are not the model's matter.
func (b *border) outwardServer(raw json.RawMessage) ([]json.RawMessage, bool) {
	head, err := item.Peek(raw)
	if err != nil {
		return nil, false
	}
	switch head.Type {
	case item.TypeListTools, item.TypeApprovalRequest, item.TypeApprovalResponse:
		return nil, true
	case item.TypeMCPCall:
		return b.outwardServerCall(raw, head), true
	}
	return nil, false
}

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
