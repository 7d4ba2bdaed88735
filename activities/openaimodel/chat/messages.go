package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// inputItem is a conversation item as far as chat can carry it.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// message is a message of Chat Completions.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []messageCall   `json:"tool_calls,omitempty"`
	ToolCallID *string         `json:"tool_call_id,omitempty"`
}

// messageCall is one of the calls in an assistant message.
type messageCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function messageFunction `json:"function"`
}

type messageFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// encodeMessages translates a conversation.
func encodeMessages(request model.Request) ([]json.RawMessage, error) {
	var c conversation
	if request.Instructions != "" {
		c.addMessage(message{Role: "system", Content: rawjson.Encode(request.Instructions)})
	}
	for i, raw := range request.Items {
		if err := c.addItem(raw); err != nil {
			return nil, protocol.RequestError(fmt.Sprintf("conversation item %d: %s", i, err))
		}
	}
	all := []json.RawMessage{}
	for _, message := range c.messages() {
		all = append(all, rawjson.Encode(message))
	}
	return all, nil
}

// addItem adds one item of the conversation.
func (c *conversation) addItem(raw json.RawMessage) error {
	var got inputItem
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	switch {
	case got.Type == item.TypeMessage, got.Type == "" && got.Role != "":
		return c.addMessageItem(got)
	case got.Type == item.TypeFunctionCall:
		c.addCall(messageCall{got.CallID, "function", messageFunction{got.Name, replayedArguments(got.Arguments)}})
		return nil
	case got.Type == item.TypeFunctionCallOutput:
		result, err := readToolResult(got.Output)
		if err != nil {
			return err
		}
		c.addResult(got.CallID, result)
		return nil
	case got.Type == item.TypeReasoning:
		// Chat has no field for it that servers agree on: one rejects the
		// reasoning_content that another returned, and none checks it.
		return nil
	}
	return fmt.Errorf("an item of type %q has no form in Chat Completions", got.Type)
}

// addMessageItem adds a message item. A developer becomes system: the role is
// known to few servers but OpenAI's, which treats the two alike.
func (c *conversation) addMessageItem(got inputItem) error {
	if got.Role == "assistant" {
		text, err := assistantText(got.Content)
		if err == nil {
			c.addAssistantText(text)
		}
		return err
	}
	role := got.Role
	if role == "developer" {
		role = "system"
	}
	content, err := encodeContent(got.Content)
	if err == nil {
		c.addMessage(message{Role: role, Content: content})
	}
	return err
}

// replayedArguments is what a past call's arguments are sent back as. Servers
// that parse them to fill a template fail on anything that is not JSON, as a
// call that was cut leaves behind; its outcome tells the model what came of it.
func replayedArguments(raw json.RawMessage) string {
	text := protocol.ArgumentText(raw)
	if !json.Valid([]byte(text)) {
		return "{}"
	}
	return text
}

// seeNextMessage stands in a tool message that has no text of its own.
const seeNextMessage = "(see the next message)"

// toolResult is a call's output in chat: text for the tool message, and parts
// that only a user message may hold.
type toolResult struct {
	text        string
	attachments []json.RawMessage
}

// readToolResult reads the output of a function_call_output. A string stays the
// string it is; JSON of any other shape is shown as text.
func readToolResult(output json.RawMessage) (toolResult, error) {
	parts, err := readParts(output)
	if err != nil {
		return toolResult{text: string(output)}, nil
	}
	var texts []string
	var result toolResult
	for _, raw := range parts {
		translated, text, err := encodePart(raw)
		switch {
		case err != nil:
			return toolResult{}, err
		case text != nil:
			texts = append(texts, *text)
		default:
			result.attachments = append(result.attachments, translated)
		}
	}
	result.text = strings.Join(texts, "\n")
	if result.text == "" && len(result.attachments) > 0 {
		result.text = seeNextMessage
	}
	return result, nil
}

func toolMessage(id string, result toolResult) message {
	return message{Role: "tool", Content: rawjson.Encode(result.text), ToolCallID: &id}
}

// attachmentMessage is the one user message behind the outputs of an answer's
// calls that carries their images and files, each under the id of its call.
func attachmentMessage(calls []messageCall, results []*toolResult) message {
	var parts []json.RawMessage
	for i, result := range results {
		if result == nil || len(result.attachments) == 0 {
			continue
		}
		parts = append(parts, textPart("Attached to the output of call "+calls[i].ID+":"))
		parts = append(parts, result.attachments...)
	}
	return message{Role: "user", Content: rawjson.Encode(parts)}
}
