package chat

import (
	"encoding/json"
	"errors"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// assembler puts an answer together from the chunks of a chat completion. In
// the end it is read like an answer that came whole.
type assembler struct {
	hasChoice, isDone bool
	// The members of the message.
	content, refusal, reasoningContent, reasoning rawjson.StringBuilder
	calls                                         streamedCalls
	legacyCall                                    *streamedCall

	finishReason, model string
	usage               *item.Usage
}

// Add reads one chunk.
func (a *assembler) Add(e protocol.Event) (bool, error) {
	if e.Kind == protocol.DoneMark {
		a.isDone = true
		return true, nil
	}
	if a.model == "" {
		a.model = rawjson.Text(e.Fields["model"])
	}
	// It stands in a last chunk without choices, in the one that finishes, or
	// in each as a running total.
	if usage := readUsage(e.Fields["usage"]); usage != nil {
		a.usage = usage
	}
	var choices []*choice
	if raw := e.Fields["choices"]; !rawjson.IsNull(raw) && json.Unmarshal(raw, &choices) != nil {
		return false, errors.New("a chunk's choices cannot be read")
	}
	for _, one := range choices {
		if one == nil {
			continue
		}
		if index := rawjson.Text(one.Index); index != "" && index != "0" {
			continue
		}
		if err := a.addChoice(one); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (a *assembler) addChoice(one *choice) error {
	reason, err := one.finish()
	if err != nil {
		return err
	}
	a.hasChoice = true
	if reason != "" && stop(a.finishReason) == model.FinishCompleted {
		a.finishReason = reason // a cut is not undone
	}
	if one.Delta == nil && a.isEmpty() {
		return a.addDelta(one.Message)
	}
	return a.addDelta(one.Delta)
}

// isEmpty tells whether nothing of the message has come.
func (a *assembler) isEmpty() bool {
	return len(a.calls) == 0 && a.legacyCall == nil &&
		a.content.IsEmpty() && a.refusal.IsEmpty() && a.reasoningContent.IsEmpty() && a.reasoning.IsEmpty()
}

func (a *assembler) addDelta(delta map[string]json.RawMessage) error {
	if content := delta["content"]; rawjson.IsString(content) {
		a.content.Add(content)
	} else {
		text, refusal := readContent(content)
		a.content.Add(rawjson.Encode(text))
		a.refusal.Add(rawjson.Encode(refusal))
	}
	a.refusal.Add(delta["refusal"])
	a.reasoningContent.Add(delta["reasoning_content"])
	a.reasoning.Add(delta["reasoning"])
	return a.addCalls(delta)
}

func (a *assembler) addCalls(delta map[string]json.RawMessage) error {
	var pieces []*toolCall
	if raw := delta["tool_calls"]; !rawjson.IsNull(raw) && json.Unmarshal(raw, &pieces) != nil {
		return errors.New("a chunk's tool_calls are not a list of objects")
	}
	for _, piece := range pieces {
		if piece == nil {
			continue
		}
		if err := a.calls.add(*piece); err != nil {
			return err
		}
	}
	var legacy *function
	if raw := delta["function_call"]; !rawjson.IsNull(raw) && json.Unmarshal(raw, &legacy) != nil {
		return errors.New("a chunk's function_call is not an object")
	}
	if legacy != nil {
		if a.legacyCall == nil {
			a.legacyCall = &streamedCall{}
		}
		a.legacyCall.add("", *legacy)
	}
	return nil
}

// IsComplete goes by the end of the answer or of the stream: servers leave out
// either.
func (a *assembler) IsComplete() bool { return a.finishReason != "" || a.isDone }

// Answer is the message so far.
func (a *assembler) Answer() (model.Answer, error) {
	if !a.hasChoice {
		return model.Answer{}, errors.New("the stream has neither choices nor error")
	}
	items := textItems(map[string]json.RawMessage{
		"content": a.content.Encode(), "refusal": a.refusal.Encode(),
		"reasoning_content": a.reasoningContent.Encode(), "reasoning": a.reasoning.Encode(),
	})
	for _, call := range a.calls {
		items = append(items, call.item())
	}
	if len(a.calls) == 0 && a.legacyCall != nil {
		items = append(items, a.legacyCall.item())
	}
	return model.Answer{Items: items, Finish: stop(a.finishReason), Usage: a.usage, Model: a.model}, nil
}
