package translate

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
)

// encodeServerCall turns a call of an MCP server, from the output of an earlier
// run or of OpenAI's own service, into what every model takes: a function call
// and its output.
func (t *Translator) encodeServerCall(raw json.RawMessage, head item.Head) []json.RawMessage {
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
	name := t.visible(tools.Identity{Namespace: call.Server, Name: head.Name})
	return []json.RawMessage{
		item.FunctionCall(head.ID, name, call.Arguments),
		item.Output(item.TypeFunctionCallOutput, head.ID, output),
	}
}

// encodeSearch turns a web_search_call of an earlier output into what every
// model takes: a function call, and an output with the pages that it names. Ids
// of such items are of their run; the place in the conversation tells them
// apart.
func (t *Translator) encodeSearch(raw json.RawMessage, place int) []json.RawMessage {
	var call struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Action struct {
			Type    string          `json:"type"`
			Query   string          `json:"query"`
			URL     string          `json:"url"`
			Pattern string          `json:"pattern"`
			Sources json.RawMessage `json:"sources"`
		} `json:"action"`
	}
	if json.Unmarshal(raw, &call) != nil {
		return nil
	}
	asked, err := json.Marshal(tools.SearchArguments{
		Action: call.Action.Type, Query: call.Action.Query, URL: call.Action.URL, Pattern: call.Action.Pattern,
	})
	if err != nil { // texts only
		return nil
	}
	said, err := json.Marshal(struct {
		Status  string          `json:"status"`
		Sources json.RawMessage `json:"sources,omitempty"`
	}{call.Status, call.Action.Sources})
	if err != nil { // JSON that was decoded before
		return nil
	}
	id := fmt.Sprintf("%s_%d", call.ID, place)
	return []json.RawMessage{
		item.FunctionCall(id, t.visible(tools.Identity{Name: tools.TypeWebSearch}), string(asked)),
		item.Output(item.TypeFunctionCallOutput, id, string(said)),
	}
}
