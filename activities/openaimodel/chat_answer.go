package openaimodel

import (
	"encoding/json"
	"strings"

	"errand/activities"
)

// chatChoiceAnswer is a choice of a chat completion. Its parts are read one by
// one, since servers differ in what they leave null.
type chatChoiceAnswer struct {
	Message      map[string]json.RawMessage `json:"message"`
	FinishReason json.RawMessage            `json:"finish_reason"`
	Error        json.RawMessage            `json:"error"`
}

// decodeChat reads a chat completion. Its content says what it is: servers
// report finish_reason stop beside calls, and tool_calls beside none.
func decodeChat(got reply) (activities.ModelAnswer, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(got.body, &fields) != nil || fields == nil {
		return activities.ModelAnswer{}, got.garbled("the answer is not a JSON object")
	}
	if reportsError(fields["error"]) {
		return activities.ModelAnswer{}, got.complaintWithin(readError(fields["error"]))
	}
	var choices []chatChoiceAnswer
	if json.Unmarshal(fields["choices"], &choices) != nil || len(choices) == 0 {
		return activities.ModelAnswer{}, got.garbled("the answer has neither choices nor error")
	}
	first := choices[0]
	finish := scalar(first.FinishReason)
	if reportsError(first.Error) || finish == "error" {
		return activities.ModelAnswer{}, got.complaintWithin(readError(first.Error))
	}
	if first.Message == nil {
		return activities.ModelAnswer{}, got.garbled("the answer has a choice without a message")
	}
	calls, ok := chatCalls(first.Message)
	if !ok {
		return activities.ModelAnswer{}, got.garbled("the answer's tool_calls are not a list of objects")
	}
	return activities.ModelAnswer{
		Items: append(spoken(first.Message), calls...),
		Stop:  chatStop(finish),
		Usage: chatUsage(fields["usage"]),
		Model: scalar(fields["model"]),
	}, nil
}

func chatStop(finish string) activities.Stop {
	switch finish {
	case "length", "model_length":
		return activities.StopLength
	case "content_filter":
		return activities.StopFilter
	}
	return activities.StopCompleted
}

// spoken is the reasoning and the message of an answer, each only if there is
// any.
func spoken(message map[string]json.RawMessage) []json.RawMessage {
	items := []json.RawMessage{}
	thought := scalar(message["reasoning_content"])
	if thought == "" {
		thought = scalar(message["reasoning"])
	}
	if thought != "" {
		items = append(items, reasoningItem(thought))
	}
	var parts []json.RawMessage
	text, refusal := answerText(message["content"])
	if text != "" {
		parts = append(parts, outputText(text))
	}
	if refusal += scalar(message["refusal"]); refusal != "" {
		parts = append(parts, refusalPart(refusal))
	}
	if len(parts) > 0 {
		items = append(items, messageItem(parts))
	}
	return items
}

// answerText reads an answer's content: a string, or parts on servers that
// answer in the form they are asked in.
func answerText(content json.RawMessage) (text, refusal string) {
	if text := scalar(content); text != "" {
		return text, ""
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(content, &parts)
	var said, refused strings.Builder
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		if p.Type == "refusal" {
			refused.WriteString(p.Refusal)
		} else if text, ok := p.text(); ok {
			said.WriteString(text)
		}
	}
	return said.String(), refused.String()
}

// chatCalls reads the calls of an answer, the legacy single one included. Ids
// and names that are missing stay empty; the caller repairs them. It is false
// when there are calls that cannot be read.
func chatCalls(message map[string]json.RawMessage) ([]json.RawMessage, bool) {
	type function struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var calls []*struct {
		ID       json.RawMessage `json:"id"`
		Function function        `json:"function"`
	}
	if raw := message["tool_calls"]; !absent(raw) && json.Unmarshal(raw, &calls) != nil {
		return nil, false
	}
	var items []json.RawMessage
	for _, call := range calls {
		if call != nil {
			items = append(items, callItem(scalar(call.ID), scalar(call.Function.Name), call.Function.Arguments))
		}
	}
	var legacy *function
	if raw := message["function_call"]; len(items) == 0 && !absent(raw) {
		if json.Unmarshal(raw, &legacy) != nil {
			return nil, false
		}
		items = append(items, callItem("", scalar(legacy.Name), legacy.Arguments))
	}
	return items, true
}
