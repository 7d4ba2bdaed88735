package show

import (
	"encoding/json"
	"strings"

	"errand/tools"
	"errand/tools/item"
)

// body is what of an item is shown, whatever its type.
type body struct {
	Arguments string          `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Output    json.RawMessage `json:"output"`
	Server    string          `json:"server_label"`
	Error     json.RawMessage `json:"error"`
	Tools     []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// item writes one item of the conversation.
func (s *script) item(raw json.RawMessage) {
	head, err := item.Peek(raw)
	var b body
	if err != nil || json.Unmarshal(raw, &b) != nil {
		s.line("\n%s", s.view.Paint.Dim("item"))
		s.block(JSON(raw))
		return
	}
	paint := s.view.Paint
	switch head.Type {
	case item.TypeMessage:
		s.line("\n%s", paint.Bold(Line(head.Role)))
		s.block(message(raw))
	case item.TypeReasoning:
		s.reasoning(b)
	case item.TypeFunctionCall, item.TypeCustomCall:
		s.names[head.CallID] = qualified(head)
		s.line("\n%s %s", paint.Dim("→"), s.called(head.CallID))
		s.block(input(head, b))
	case item.TypeFunctionCallOutput, item.TypeCustomCallOutput:
		s.outcome(head, b)
	default:
		s.other(head, b)
	}
}

// message is the text of a message; parts that are not text are shown as JSON.
func message(raw json.RawMessage) string {
	if text := item.Text(raw); text != "" {
		return Block(text)
	}
	var m struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return JSON(raw)
	}
	return JSON(m.Content)
}

func (s *script) reasoning(b body) {
	var all []string
	for _, part := range b.Summary {
		all = append(all, part.Text)
	}
	if text := strings.TrimSpace(strings.Join(all, "\n")); text != "" {
		s.line("\n%s", s.view.Paint.Dim("reasoning"))
		s.block(Block(text))
	}
}

func qualified(head item.Head) string {
	if head.Namespace != "" {
		return head.Namespace + "." + head.Name
	}
	return head.Name
}

func input(head item.Head, b body) string {
	if head.Type == item.TypeCustomCall {
		return plain(b.Input)
	}
	return JSON([]byte(b.Arguments))
}

// outcome writes the output of a call under what its trace tells of it.
func (s *script) outcome(head item.Head, b body) {
	s.line("\n%s %s %s", s.view.Paint.Dim("←"), s.called(head.CallID), s.how(head.CallID))
	s.block(plain(b.Output))
}

// called names a call as "tool (id)", by the latest call with this id.
func (s *script) called(callID string) string {
	paint := s.view.Paint
	return paint.Name(Line(s.names[callID])) + paint.Dim(" ("+Line(callID)+")")
}

// how is the outcome of the next call with this id: what was not called in
// this run has no trace.
func (s *script) how(callID string) string {
	list := s.traces[callID]
	if len(list) == 0 {
		return s.view.Paint.Dim("output")
	}
	t := list[0]
	s.traces[callID] = list[1:]
	return s.summary(t)
}

func (s *script) summary(t tools.Trace) string {
	parts := []string{s.view.Paint.Status(string(t.Status)), span(t), Size(t.ResultSizeBytes)}
	if t.Attempt > 1 {
		parts = append(parts, Count(t.Attempt, "attempt"))
	}
	return strings.Join(parts, ", ")
}

// other writes an item that is neither a message nor a call of this run's
// tools: a server's tool list, its own call, an approval request.
func (s *script) other(head item.Head, b body) {
	paint := s.view.Paint
	parts := []string{Line(head.Type)}
	for _, part := range []string{b.Server, head.Name, head.Status} {
		if part != "" {
			parts = append(parts, Line(part))
		}
	}
	if len(b.Tools) > 0 {
		parts = append(parts, Count(len(b.Tools), "tool"))
	}
	s.line("\n%s %s", paint.Dim("·"), strings.Join(parts, " "))
	if b.Arguments != "" {
		s.block(JSON([]byte(b.Arguments)))
	}
	if len(b.Output) > 0 && string(b.Output) != "null" {
		s.block(plain(b.Output))
	}
	if len(b.Error) > 0 && string(b.Error) != "null" {
		s.block(paint.Bad(plain(b.Error)))
	}
}

// plain is a JSON string as text, laid out if it is JSON again, or the JSON.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return JSON(raw)
	}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		return JSON([]byte(trimmed))
	}
	return Block(text)
}
