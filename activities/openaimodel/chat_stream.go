package openaimodel

import (
	"encoding/json"
	"errors"

	"errand/activities"
	"errand/tools/item"
)

// chatStream puts an answer together from the chunks of a chat completion. In
// the end it is read like an answer that came whole.
type chatStream struct {
	begun, done                            bool
	content, refusal, thoughts, reasonings joined
	calls                                  streamedCalls
	legacy                                 *streamedCall
	finish, model                          string
	usage                                  *item.Usage
}

func newChatStream() assembler { return &chatStream{} }

// chunkChoice is a choice in a chunk.
type chunkChoice struct {
	Index json.RawMessage            `json:"index"`
	Delta map[string]json.RawMessage `json:"delta"`
	// Message is there when a server only pretends to stream.
	Message      map[string]json.RawMessage `json:"message"`
	FinishReason json.RawMessage            `json:"finish_reason"`
	Error        json.RawMessage            `json:"error"`
}

func (c *chatStream) take(e event) (bool, error) {
	if e.kind == doneMark {
		c.done = true
		return true, nil
	}
	if c.model == "" {
		c.model = scalar(e.fields["model"])
	}
	// It stands in a last chunk without choices, in the one that finishes, or
	// in each as a running total.
	if usage := chatUsage(e.fields["usage"]); usage != nil {
		c.usage = usage
	}
	var choices []*chunkChoice
	if raw := e.fields["choices"]; !absent(raw) && json.Unmarshal(raw, &choices) != nil {
		return false, errors.New("a chunk's choices cannot be read")
	}
	for _, one := range choices {
		if one == nil {
			continue
		}
		if index := scalar(one.Index); index != "" && index != "0" {
			continue
		}
		if err := c.choice(one); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (c *chatStream) choice(one *chunkChoice) error {
	finish := scalar(one.FinishReason)
	if reportsError(one.Error) || finish == "error" {
		return readError(one.Error)
	}
	c.begun = true
	if finish != "" && chatStop(c.finish) == activities.StopCompleted {
		c.finish = finish // a cut is not undone
	}
	if one.Delta == nil && !c.spoke() {
		return c.add(one.Message)
	}
	return c.add(one.Delta)
}

// spoke tells whether anything of the answer has come.
func (c *chatStream) spoke() bool {
	return len(c.calls) > 0 || c.legacy != nil ||
		!c.content.empty() || !c.refusal.empty() || !c.thoughts.empty() || !c.reasonings.empty()
}

func (c *chatStream) add(delta map[string]json.RawMessage) error {
	if content := delta["content"]; isString(content) {
		c.content.add(content)
	} else {
		text, refusal := answerText(content)
		c.content.add(encode(text))
		c.refusal.add(encode(refusal))
	}
	c.refusal.add(delta["refusal"])
	c.thoughts.add(delta["reasoning_content"])
	c.reasonings.add(delta["reasoning"])

	var pieces []*callDelta
	if raw := delta["tool_calls"]; !absent(raw) && json.Unmarshal(raw, &pieces) != nil {
		return errors.New("a chunk's tool_calls are not a list of objects")
	}
	for _, piece := range pieces {
		if piece == nil {
			continue
		}
		if err := c.calls.take(*piece); err != nil {
			return err
		}
	}
	var old *functionDelta
	if raw := delta["function_call"]; !absent(raw) && json.Unmarshal(raw, &old) != nil {
		return errors.New("a chunk's function_call is not an object")
	}
	if old != nil {
		if c.legacy == nil {
			c.legacy = &streamedCall{}
		}
		c.legacy.add("", *old)
	}
	return nil
}

// whole goes by the end of the answer or of the stream: servers leave out
// either.
func (c *chatStream) whole() bool { return c.finish != "" || c.done }

func (c *chatStream) answer(got reply) (activities.ModelAnswer, error) {
	if !c.begun {
		return activities.ModelAnswer{}, got.garbled("the stream has neither choices nor error")
	}
	items := spoken(map[string]json.RawMessage{
		"content": c.content.raw(), "refusal": c.refusal.raw(),
		"reasoning_content": c.thoughts.raw(), "reasoning": c.reasonings.raw(),
	})
	for _, call := range c.calls {
		items = append(items, call.item())
	}
	if len(c.calls) == 0 && c.legacy != nil {
		items = append(items, c.legacy.item())
	}
	return activities.ModelAnswer{Items: items, Stop: chatStop(c.finish), Usage: c.usage, Model: c.model}, nil
}
