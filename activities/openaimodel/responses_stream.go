package openaimodel

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"errand/activities"
)

// responsesStream puts a response together from its events. The last one
// repeats the response whole and is what counts; the others are for servers
// that leave the output out of it.
type responsesStream struct {
	slots []*slot
	model json.RawMessage
	// response is that of the last event; nil before it.
	response map[string]json.RawMessage
}

func newResponsesStream() assembler { return &responsesStream{} }

func (s *responsesStream) take(e event) (bool, error) {
	name, known := strings.CutPrefix(e.kind, "response.")
	if !known {
		return e.kind == doneMark, nil
	}
	switch name {
	case "created", "queued", "in_progress":
		if model := readFields(e.fields["response"])["model"]; !absent(model) {
			s.model = model
		}
	case "completed", "incomplete", "failed", "cancelled":
		s.finish(name, e)
		return true, nil
	case "output_item.added", "output_item.done":
		return false, s.item(name == "output_item.done", e)
	case "content_part.done", "reasoning_part.done":
		return false, s.part(e, listContent)
	case "reasoning_summary_part.done":
		return false, s.part(e, listSummary)
	default:
		return false, s.piece(name, e)
	}
	return false, nil
}

func (s *responsesStream) whole() bool { return s.response != nil }

func (s *responsesStream) answer(got reply) (activities.ModelAnswer, error) {
	return readResponse(got, s.response)
}

// finish completes the response of the last event from those before.
func (s *responsesStream) finish(label string, e event) {
	response := readFields(e.fields["response"])
	status := endStatus(label, scalar(response["status"]))
	response["status"] = encode(status)
	if status == "failed" && !reportsError(response["error"]) {
		response["error"] = e.fields["error"]
	}
	if absent(response["model"]) {
		response["model"] = s.model
	}
	var output []json.RawMessage
	if _ = json.Unmarshal(response["output"], &output); len(output) == 0 && len(s.slots) > 0 {
		response["output"] = array(s.output(status))
	}
	s.response = response
}

// endStatus is the worse of what an event is called and what its response
// says: servers name an event completed that brings a response which is not.
func endStatus(label, said string) string {
	for _, bad := range []string{"failed", "cancelled", "incomplete"} {
		if label == bad || said == bad {
			return bad
		}
	}
	return label
}

// output is the items so far in the order of their places. What has not been
// closed ended with the response.
func (s *responsesStream) output(status string) []json.RawMessage {
	slices.SortStableFunc(s.slots, func(a, b *slot) int { return cmp.Compare(a.place, b.place) })
	all := make([]json.RawMessage, 0, len(s.slots))
	for _, one := range s.slots {
		all = append(all, one.item(status))
	}
	return all
}

// readFields is the members of an object, and empty for anything else.
func readFields(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return map[string]json.RawMessage{}
	}
	return fields
}
