// Package item knows the shapes of conversation items: the OpenAI Responses
// items that Errand reads and writes. Items stay raw JSON; this package peeks
// into them and builds new ones. Standard library only.
package item

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Item types that Errand reads or writes.
const (
	TypeMessage            = "message"
	TypeReasoning          = "reasoning"
	TypeFunctionCall       = "function_call"
	TypeFunctionCallOutput = "function_call_output"
	TypeCustomCall         = "custom_tool_call"
	TypeCustomCallOutput   = "custom_tool_call_output"
	TypeApprovalRequest    = "mcp_approval_request"
	TypeListTools          = "mcp_list_tools"
	TypeMCPCall            = "mcp_call"
	TypeApprovalResponse   = "mcp_approval_response"
)

// Head is what of an item decides how it is handled.
type Head struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Role      string `json:"role"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Peek reads the head of an item. A message may leave its type out.
func Peek(raw json.RawMessage) (Head, error) {
	var h Head
	if err := json.Unmarshal(raw, &h); err != nil {
		return Head{}, fmt.Errorf("not an item: %w", err)
	}
	if h.Type == "" && h.Role != "" {
		h.Type = TypeMessage
	}
	return h, nil
}

// ownOutput begins the outputs that a run makes, see Output.
var ownOutput = []byte(`{"type":"` + TypeFunctionCallOutput + `",`)

// IsOwnOutput tells, without reading it, whether an item is an output that a
// run has made. They are most of a long conversation.
func IsOwnOutput(raw json.RawMessage) bool { return bytes.HasPrefix(raw, ownOutput) }

// IsCall tells whether items of this type ask for an outcome.
func IsCall(itemType string) bool {
	return itemType == TypeFunctionCall || itemType == TypeCustomCall
}

// OutputFor is the type of the item that answers a call of the given type.
func OutputFor(callType string) string {
	if callType == TypeCustomCall {
		return TypeCustomCallOutput
	}
	return TypeFunctionCallOutput
}

// Message is a message item with one piece of text. An assistant's text is
// output_text, everybody else's input_text.
func Message(role, text string) json.RawMessage {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	type part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	return encode(struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []part `json:"content"`
	}{TypeMessage, role, []part{{kind, text}}})
}

// MessageWith is a message item with content as given: a string or parts.
func MessageWith(role string, content json.RawMessage) json.RawMessage {
	return encode(struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}{TypeMessage, role, content})
}

// FunctionCall is a function_call item.
func FunctionCall(callID, name, arguments string) json.RawMessage {
	return encode(struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}{TypeFunctionCall, callID, name, arguments})
}

// Output is the item that answers a call: type is TypeFunctionCallOutput or
// TypeCustomCallOutput.
func Output(itemType, callID, output string) json.RawMessage {
	return encode(struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}{itemType, callID, output})
}

// ApprovalRequest is the public item that asks a person about a call.
func ApprovalRequest(id, server, name, arguments string) json.RawMessage {
	return encode(struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Server    string `json:"server_label"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}{TypeApprovalRequest, id, server, name, arguments})
}

// ListedTool is a tool in the public item of a server's tools.
type ListedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// Listing is the public item of a server whose tools were listed.
func Listing(id, server string, all []ListedTool) json.RawMessage {
	if all == nil {
		all = []ListedTool{}
	}
	return encode(struct {
		Type   string       `json:"type"`
		ID     string       `json:"id"`
		Server string       `json:"server_label"`
		Tools  []ListedTool `json:"tools"`
	}{TypeListTools, id, server, all})
}

// ServerCall is a call of a server's tool and what became of it. Exactly one of
// Output and Error is not null.
type ServerCall struct {
	Type      string          `json:"type"` // always mcp_call
	ID        string          `json:"id"`
	Server    string          `json:"server_label"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    *string         `json:"output"`
	Error     json.RawMessage `json:"error"`
	// Status is completed, failed, or incomplete for a call that never ended.
	Status   string  `json:"status"`
	Approval *string `json:"approval_request_id"`
}

// Item is the call as a public item.
func (c ServerCall) Item() json.RawMessage {
	c.Type = TypeMCPCall
	if c.Error == nil {
		c.Error = json.RawMessage("null")
	}
	return encode(c)
}

// FailedListing is the public item of a server whose tools could not be listed.
func FailedListing(id, server, reason string) json.RawMessage {
	return encode(struct {
		Type   string            `json:"type"`
		ID     string            `json:"id"`
		Server string            `json:"server_label"`
		Tools  []json.RawMessage `json:"tools"`
		Error  string            `json:"error"`
	}{TypeListTools, id, server, []json.RawMessage{}, reason})
}

// Text joins the text of a message item: its string content, or its
// output_text and input_text parts. Other items have none.
func Text(raw json.RawMessage) string {
	var m struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) != nil || (m.Type != TypeMessage && m.Role == "") {
		return ""
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return ""
	}
	var all []string
	for _, p := range parts {
		if p.Type == "output_text" || p.Type == "input_text" || p.Type == "text" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "")
}

// encode marshals values that always can be: structs of strings and raw JSON
// that was decoded before.
func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("item: " + err.Error())
	}
	return raw
}
