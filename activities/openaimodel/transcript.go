package openaimodel

import (
	"encoding/json"
	"slices"
	"strings"
)

// transcript arranges a conversation the way chat wants it: the calls of one
// answer in one assistant message, and their outputs right behind it.
type transcript struct {
	turns []*turn
}

// turn is an assistant's turn, or one message of anybody else.
type turn struct {
	other *chatMessage
	texts []string
	calls []chatCall
	// results belong to the calls at the same index; nil is still to come.
	results []*toolResult
}

// slot is the index of the first call of that id without a result, or -1. Ids
// may repeat, and then outputs pair in order.
func (t *turn) slot(id string) int {
	for i, call := range t.calls {
		if t.results[i] == nil && call.ID == id {
			return i
		}
	}
	return -1
}

// waits tells whether any call is still without a result.
func (t *turn) waits() bool { return slices.Contains(t.results, nil) }

// answered tells whether any call has a result.
func (t *turn) answered() bool {
	return slices.ContainsFunc(t.results, func(r *toolResult) bool { return r != nil })
}

// last is the newest turn if it is the assistant's, else nil.
func (t *transcript) last() *turn {
	if len(t.turns) == 0 || t.turns[len(t.turns)-1].other != nil {
		return nil
	}
	return t.turns[len(t.turns)-1]
}

// add appends a message that is not the assistant's. Since results join the
// turn of their call, it ends up behind outputs that came after it.
func (t *transcript) add(message chatMessage) {
	t.turns = append(t.turns, &turn{other: &message})
}

// say adds an assistant's text: to the turn whose calls are still open, where
// a message of its own would part the calls from their outputs, or else as a
// new turn.
func (t *transcript) say(text string) {
	if last := t.last(); last != nil && last.waits() {
		last.texts = append(last.texts, text)
		return
	}
	t.turns = append(t.turns, &turn{texts: []string{text}})
}

// call adds a call to the assistant's turn, unless that one has got results:
// then the call is from a later answer.
func (t *transcript) call(call chatCall) {
	last := t.last()
	if last == nil || last.answered() {
		last = &turn{}
		t.turns = append(t.turns, last)
	}
	last.calls = append(last.calls, call)
	last.results = append(last.results, nil)
}

// answer gives a result to the newest open call of that id. Ids may repeat in
// later turns. A result that no call asked for stays where it is, for the
// server to judge.
func (t *transcript) answer(id string, result toolResult) {
	for _, turn := range slices.Backward(t.turns) {
		if i := turn.slot(id); i >= 0 {
			turn.results[i] = &result
			return
		}
	}
	t.add(toolMessage(id, result))
	if len(result.attachments) > 0 {
		t.add(attached([]chatCall{{ID: id}}, []*toolResult{&result}))
	}
}

// messages is the conversation in chat form.
func (t *transcript) messages() []chatMessage {
	var all []chatMessage
	for _, turn := range t.turns {
		if turn.other != nil {
			all = append(all, *turn.other)
			continue
		}
		all = append(all, chatMessage{Role: "assistant", Content: turn.content(), ToolCalls: turn.calls})
		attachments := false
		for i, result := range turn.results {
			if result != nil {
				all = append(all, toolMessage(turn.calls[i].ID, *result))
				attachments = attachments || len(result.attachments) > 0
			}
		}
		if attachments {
			all = append(all, attached(turn.calls, turn.results))
		}
	}
	return all
}

// content is one string: fewer servers take parts from an assistant. A turn of
// calls alone has null, which the API asks for.
func (t *turn) content() json.RawMessage {
	said := slices.DeleteFunc(slices.Clone(t.texts), func(text string) bool { return text == "" })
	if len(said) == 0 && len(t.calls) > 0 {
		return json.RawMessage("null")
	}
	return encode(strings.Join(said, "\n\n"))
}
