package harness

import (
	"encoding/json"
	"fmt"
)

// none is an empty JSON array where OpenAI never sends null.
var none = []struct{}{}

type messageItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Content []outputText `json:"content"`
	Role    string       `json:"role"`
}

type outputText struct {
	Type        string     `json:"type"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
	Text        string     `json:"text"`
}

type callItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Arguments string `json:"arguments"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
}

type reasoningItem struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Summary []summaryText `json:"summary"`
}

type summaryText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// itemID makes ids as OpenAI does: a prefix that names the type.
func (r reply) itemID(prefix string, index int) string {
	return fmt.Sprintf("%s_%s%02d", prefix, r.key, index)
}

func newText(text string) outputText {
	return outputText{Type: "output_text", Annotations: none, Logprobs: none, Text: text}
}

func (r reply) message(index int, status string, content ...outputText) messageItem {
	if content == nil {
		content = []outputText{}
	}
	return messageItem{r.itemID("msg", index), "message", status, content, "assistant"}
}

func (r reply) call(index int, status string, call ToolCall) callItem {
	return callItem{r.itemID("fc", index), "function_call", status, call.Arguments, call.ID, call.Name}
}

func (r reply) reasoning(index int, summary ...summaryText) reasoningItem {
	if summary == nil {
		summary = []summaryText{}
	}
	return reasoningItem{r.itemID("rs", index), "reasoning", summary}
}

// output is the finished items in order.
func (r reply) output() []json.RawMessage {
	items := make([]json.RawMessage, len(r.answer.parts))
	for i := range r.answer.parts {
		items[i] = r.item(i)
	}
	return items
}

// item is one finished item. Where an answer was cut, its last item is.
func (r reply) item(index int) json.RawMessage {
	status := "completed"
	if r.answer.stop != whole && index == len(r.answer.parts)-1 {
		status = "incomplete"
	}
	switch one := r.answer.parts[index].(type) {
	case textPart:
		return encode(r.message(index, status, newText(string(one))))
	case reasoningPart:
		return encode(r.reasoning(index, summaryText{"summary_text", string(one)}))
	case ToolCall:
		return encode(r.call(index, status, one))
	}
	panic("harness: an answer has a part of no known kind")
}
