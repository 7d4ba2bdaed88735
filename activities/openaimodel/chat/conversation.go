package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"errand/activities/openaimodel/rawjson"
)

// conversation arranges messages the way chat wants them: the calls of one
// answer in one assistant message, and their outputs right behind it.
type conversation struct {
	steps []*step
}

// step is an answer of the assistant with the outputs of its calls, or one
// message of anybody else.
type step struct {
	other *message
	texts []string
	calls []messageCall
	// results belong to the calls at the same index; nil is still to come.
	results []*toolResult
}

// openCall is the index of the first call of that id without a result, or -1.
// Ids may repeat, and then outputs pair in order.
func (s *step) openCall(id string) int {
	for i, call := range s.calls {
		if s.results[i] == nil && call.ID == id {
			return i
		}
	}
	return -1
}

func (s *step) hasOpenCalls() bool { return slices.Contains(s.results, nil) }

func (s *step) hasResults() bool {
	return slices.ContainsFunc(s.results, func(r *toolResult) bool { return r != nil })
}

// lastAnswer is the newest step if it is the assistant's, else nil.
func (c *conversation) lastAnswer() *step {
	if len(c.steps) == 0 || c.steps[len(c.steps)-1].other != nil {
		return nil
	}
	return c.steps[len(c.steps)-1]
}

// addMessage appends a message that is not the assistant's. Since results join
// the step of their call, it ends up behind outputs that came after it.
func (c *conversation) addMessage(message message) {
	c.steps = append(c.steps, &step{other: &message})
}

// addAssistantText adds to the answer whose calls are still open, where a
// message of its own would part the calls from their outputs, or else begins a
// new one.
func (c *conversation) addAssistantText(text string) {
	if last := c.lastAnswer(); last != nil && last.hasOpenCalls() {
		last.texts = append(last.texts, text)
		return
	}
	c.steps = append(c.steps, &step{texts: []string{text}})
}

// addCall adds a call to the assistant's last answer, unless that one has got
// results: then the call is from a later answer.
func (c *conversation) addCall(call messageCall) {
	last := c.lastAnswer()
	if last == nil || last.hasResults() {
		last = &step{}
		c.steps = append(c.steps, last)
	}
	last.calls = append(last.calls, call)
	last.results = append(last.results, nil)
}

// addResult gives a result to the newest open call of that id. Ids may repeat in
// later answers. A result that no call asked for stays where it is, for the
// server to judge.
func (c *conversation) addResult(id string, result toolResult) {
	for _, step := range slices.Backward(c.steps) {
		if i := step.openCall(id); i >= 0 {
			step.results[i] = &result
			return
		}
	}
	c.addMessage(toolMessage(id, result))
	if len(result.attachments) > 0 {
		c.addMessage(attachmentMessage([]messageCall{{ID: id}}, []*toolResult{&result}))
	}
}

// messages is the conversation in chat form.
func (c *conversation) messages() []message {
	var all []message
	for _, step := range c.steps {
		if step.other != nil {
			all = append(all, *step.other)
			continue
		}
		all = append(all, message{Role: "assistant", Content: step.content(), ToolCalls: step.calls})
		hasAttachments := false
		for i, result := range step.results {
			if result != nil {
				all = append(all, toolMessage(step.calls[i].ID, *result))
				hasAttachments = hasAttachments || len(result.attachments) > 0
			}
		}
		if hasAttachments {
			all = append(all, attachmentMessage(step.calls, step.results))
		}
	}
	return all
}

// content is one string: fewer servers take parts from an assistant. An answer
// of calls alone has null, which the API asks for.
func (s *step) content() json.RawMessage {
	texts := slices.DeleteFunc(slices.Clone(s.texts), func(text string) bool { return text == "" })
	if len(texts) == 0 && len(s.calls) > 0 {
		return json.RawMessage("null")
	}
	return rawjson.Encode(strings.Join(texts, "\n\n"))
}
