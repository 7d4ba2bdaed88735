package harness

import (
	"encoding/json"
	"fmt"
)

// event is one event of a Responses stream. Its fields lack the type and the
// sequence number, which are added when all events are in order.
type event struct {
	name   string
	fields json.RawMessage
}

func newEvent(name string, fields any) event { return event{"response." + name, encode(fields)} }

// frame writes e down as OpenAI does.
func (e event) frame(sequence int) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: {\"type\":%q,\"sequence_number\":%d,%s\n\n",
		e.name, e.name, sequence, e.fields[1:])
}

// responsesFrames is the streamed answer of the Responses API.
func responsesFrames(r reply) [][]byte {
	type lifecycle struct {
		Response responseObject `json:"response"`
	}
	begun, finished := r.begun(), r.finished()
	events := []event{newEvent("created", lifecycle{begun}), newEvent("in_progress", lifecycle{begun})}
	for i := range r.answer.parts {
		events = append(events, r.itemEvents(i)...)
	}
	events = append(events, newEvent(finished.Status, lifecycle{finished}))

	frames := make([][]byte, len(events))
	for i, one := range events {
		frames[i] = one.frame(i)
	}
	return frames
}

// itemEvents bring one item, from its announcement to its end.
func (r reply) itemEvents(index int) []event {
	type announced struct {
		OutputIndex int             `json:"output_index"`
		Item        json.RawMessage `json:"item"`
	}
	const begun = "in_progress"
	var first json.RawMessage
	var between []event
	switch one := r.answer.parts[index].(type) {
	case textPart:
		item := r.message(index, begun)
		first, between = encode(item), textEvents(place{item.ID, index}, string(one))
	case reasoningPart:
		item := r.reasoning(index)
		first, between = encode(item), reasoningEvents(place{item.ID, index}, string(one))
	case ToolCall:
		item := r.call(index, begun, ToolCall{ID: one.ID, Name: one.Name})
		first, between = encode(item), callEvents(place{item.ID, index}, one)
	}
	events := append([]event{newEvent("output_item.added", announced{index, first})}, between...)
	return append(events, newEvent("output_item.done", announced{index, r.item(index)}))
}

// place says which item an event belongs to.
type place struct {
	ItemID      string `json:"item_id"`
	OutputIndex int    `json:"output_index"`
}

func textEvents(at place, text string) []event {
	type part struct {
		place
		ContentIndex int        `json:"content_index"`
		Part         outputText `json:"part"`
	}
	type delta struct {
		place
		ContentIndex int        `json:"content_index"`
		Delta        string     `json:"delta"`
		Logprobs     []struct{} `json:"logprobs"`
	}
	type done struct {
		place
		ContentIndex int        `json:"content_index"`
		Text         string     `json:"text"`
		Logprobs     []struct{} `json:"logprobs"`
	}
	events := []event{newEvent("content_part.added", part{place: at, Part: newText("")})}
	for _, piece := range pieces(text) {
		events = append(events, newEvent("output_text.delta", delta{place: at, Delta: piece, Logprobs: none}))
	}
	return append(events,
		newEvent("output_text.done", done{place: at, Text: text, Logprobs: none}),
		newEvent("content_part.done", part{place: at, Part: newText(text)}))
}

func reasoningEvents(at place, text string) []event {
	type part struct {
		place
		SummaryIndex int         `json:"summary_index"`
		Part         summaryText `json:"part"`
	}
	type delta struct {
		place
		SummaryIndex int    `json:"summary_index"`
		Delta        string `json:"delta"`
	}
	type done struct {
		place
		SummaryIndex int    `json:"summary_index"`
		Text         string `json:"text"`
	}
	events := []event{newEvent("reasoning_summary_part.added", part{place: at, Part: summaryText{"summary_text", ""}})}
	for _, piece := range pieces(text) {
		events = append(events, newEvent("reasoning_summary_text.delta", delta{place: at, Delta: piece}))
	}
	return append(events,
		newEvent("reasoning_summary_text.done", done{place: at, Text: text}),
		newEvent("reasoning_summary_part.done", part{place: at, Part: summaryText{"summary_text", text}}))
}

func callEvents(at place, call ToolCall) []event {
	type delta struct {
		place
		Delta string `json:"delta"`
	}
	type done struct {
		place
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	var events []event
	for _, piece := range pieces(call.Arguments) {
		events = append(events, newEvent("function_call_arguments.delta", delta{at, piece}))
	}
	return append(events, newEvent("function_call_arguments.done", done{at, call.Name, call.Arguments}))
}
