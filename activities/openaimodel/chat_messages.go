package openaimodel

import (
	"encoding/json"
	"fmt"

	"errand/activities"
	"errand/tools/item"
)

// chatItem is a conversation item as far as chat can carry it.
type chatItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// chatMessage is a message of Chat Completions.
type chatMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []chatCall      `json:"tool_calls,omitempty"`
	ToolCallID *string         `json:"tool_call_id,omitempty"`
}

// chatCall is one of the calls in an assistant message.
type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chatMessages translates a conversation.
func chatMessages(request activities.ModelRequest) ([]json.RawMessage, error) {
	var said transcript
	if request.Instructions != "" {
		said.add(chatMessage{Role: "system", Content: encode(request.Instructions)})
	}
	for i, raw := range request.Items {
		if err := said.take(raw); err != nil {
			return nil, requestFault(fmt.Sprintf("conversation item %d: %s", i, err))
		}
	}
	all := []json.RawMessage{}
	for _, message := range said.messages() {
		all = append(all, encode(message))
	}
	return all, nil
}

// take adds one item to the transcript.
func (t *transcript) take(raw json.RawMessage) error {
	var got chatItem
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	switch {
	case got.Type == item.TypeMessage, got.Type == "" && got.Role != "":
		return t.message(got)
	case got.Type == item.TypeFunctionCall:
		t.call(chatCall{got.CallID, "function", chatFunction{got.Name, replayed(got.Arguments)}})
		return nil
	case got.Type == item.TypeFunctionCallOutput:
		result, err := toolResultOf(got.Output)
		if err != nil {
			return err
		}
		t.answer(got.CallID, result)
		return nil
	case got.Type == item.TypeReasoning:
		// Chat has no field for it that servers agree on: one rejects the
		// reasoning_content that another returned, and none checks it.
		return nil
	}
	return fmt.Errorf("an item of type %q has no form in Chat Completions", got.Type)
}

// message adds a message item. A developer becomes system: the role is known
// to few servers but OpenAI's, which treats the two alike.
func (t *transcript) message(got chatItem) error {
	if got.Role == "assistant" {
		text, err := assistantText(got.Content)
		if err == nil {
			t.say(text)
		}
		return err
	}
	role := got.Role
	if role == "developer" {
		role = "system"
	}
	content, err := chatContent(got.Content)
	if err == nil {
		t.add(chatMessage{Role: role, Content: content})
	}
	return err
}

// replayed is what a past call's arguments are sent back as. Servers that
// parse them to fill a template fail on anything that is not JSON, as a call
// that was cut leaves behind; its outcome tells the model what came of it.
func replayed(raw json.RawMessage) string {
	text := argumentText(raw)
	if !json.Valid([]byte(text)) {
		return "{}"
	}
	return text
}
