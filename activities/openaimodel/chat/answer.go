package chat

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// choice is a choice of a chat completion or of one of its chunks. Its parts are
// read one by one, since servers differ in what they leave null.
type choice struct {
	Index json.RawMessage `json:"index"`
	// Message is the whole answer. In a chunk it is there when a server only
	// pretends to stream.
	Message map[string]json.RawMessage `json:"message"`
	// Delta is there in a chunk only.
	Delta        map[string]json.RawMessage `json:"delta"`
	FinishReason json.RawMessage            `json:"finish_reason"`
	Error        json.RawMessage            `json:"error"`
}

// finish is why the choice ended, or the failure that it reports.
func (c choice) finish() (string, error) {
	reason := rawjson.Text(c.FinishReason)
	if protocol.ReportsError(c.Error) || reason == "error" {
		return "", protocol.ReadError(c.Error)
	}
	return reason, nil
}

// decode reads a chat completion. Its content says what it is: servers report
// finish_reason stop beside calls, and tool_calls beside none.
func decode(body []byte) (model.Answer, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return model.Answer{}, errors.New("the answer is not a JSON object")
	}
	if protocol.ReportsError(fields["error"]) {
		return model.Answer{}, protocol.ReadError(fields["error"])
	}
	var choices []choice
	if json.Unmarshal(fields["choices"], &choices) != nil || len(choices) == 0 {
		return model.Answer{}, errors.New("the answer has neither choices nor error")
	}
	reason, err := choices[0].finish()
	if err != nil {
		return model.Answer{}, err
	}
	if choices[0].Message == nil {
		return model.Answer{}, errors.New("the answer has a choice without a message")
	}
	calls, err := callItems(choices[0].Message)
	if err != nil {
		return model.Answer{}, err
	}
	return model.Answer{
		Items:  append(textItems(choices[0].Message), calls...),
		Finish: stop(reason),
		Usage:  readUsage(fields["usage"]),
		Model:  rawjson.Text(fields["model"]),
	}, nil
}

func stop(reason string) model.FinishReason {
	switch reason {
	case "length", "model_length":
		return model.FinishLength
	case "content_filter":
		return model.FinishFilter
	}
	return model.FinishCompleted
}

// readUsage is nil when a server reports none, or nothing readable.
func readUsage(raw json.RawMessage) *item.Usage {
	var counted *struct {
		Prompt     int64               `json:"prompt_tokens"`
		Completion int64               `json:"completion_tokens"`
		Total      int64               `json:"total_tokens"`
		Input      *item.InputDetails  `json:"prompt_tokens_details"`
		Output     *item.OutputDetails `json:"completion_tokens_details"`
	}
	if rawjson.IsNull(raw) || json.Unmarshal(raw, &counted) != nil {
		return nil
	}
	return protocol.WithTotal(&item.Usage{
		InputTokens:  counted.Prompt,
		OutputTokens: counted.Completion,
		TotalTokens:  counted.Total,
		Input:        counted.Input,
		Output:       counted.Output,
	})
}

// textItems is what a message says beside its calls: reasoning and a message,
// each only if there is any. The same message always makes the same bytes: there
// are no ids, for chat gives none.
func textItems(message map[string]json.RawMessage) []json.RawMessage {
	items := []json.RawMessage{}
	if reasoning := cmp.Or(rawjson.Text(message["reasoning_content"]), rawjson.Text(message["reasoning"])); reasoning != "" {
		items = append(items, reasoningItem(reasoning))
	}
	var parts []json.RawMessage
	text, refusal := readContent(message["content"])
	if text != "" {
		parts = append(parts, protocol.OutputText(text))
	}
	if refusal += rawjson.Text(message["refusal"]); refusal != "" {
		parts = append(parts, protocol.RefusalPart(refusal))
	}
	if len(parts) > 0 {
		items = append(items, messageItem(parts))
	}
	return items
}

// readContent reads an answer's content: a string, or parts on servers that
// answer in the form they are asked in.
func readContent(content json.RawMessage) (text, refusal string) {
	if text := rawjson.Text(content); text != "" {
		return text, ""
	}
	var parts []json.RawMessage
	_ = json.Unmarshal(content, &parts)
	var texts, refusals strings.Builder
	for _, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		if p.Type == "refusal" {
			refusals.WriteString(p.Refusal)
		} else if text, ok := p.text(); ok {
			texts.WriteString(text)
		}
	}
	return texts.String(), refusals.String()
}

const completed = "completed"

func messageItem(parts []json.RawMessage) json.RawMessage {
	return rawjson.Encode(struct {
		Type    string            `json:"type"`
		Role    string            `json:"role"`
		Status  string            `json:"status"`
		Content []json.RawMessage `json:"content"`
	}{item.TypeMessage, "assistant", completed, parts})
}

func reasoningItem(text string) json.RawMessage {
	return rawjson.Encode(struct {
		Type    string                   `json:"type"`
		Summary []protocol.ReasoningText `json:"summary"`
		Content []protocol.ReasoningText `json:"content"`
		Status  string                   `json:"status"`
	}{item.TypeReasoning, []protocol.ReasoningText{}, []protocol.ReasoningText{{Type: "reasoning_text", Text: text}}, completed})
}
