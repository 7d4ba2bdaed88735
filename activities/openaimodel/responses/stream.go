package responses

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
)

// assembler puts a response together from its events. The last one repeats the
// response whole and is what counts; the others are for servers that leave the
// output out of it.
type assembler struct {
	items []*streamedItem
	model json.RawMessage
	// response is that of the last event; nil before it.
	response map[string]json.RawMessage
}

// Add reads one event.
func (a *assembler) Add(e protocol.Event) (bool, error) {
	name, known := strings.CutPrefix(e.Kind, "response.")
	if !known {
		return e.Kind == protocol.DoneMark, nil
	}
	switch name {
	case "created", "queued", "in_progress":
		if model := rawjson.Fields(e.Fields["response"])["model"]; !rawjson.IsNull(model) {
			a.model = model
		}
	case "completed", "incomplete", "failed", "cancelled":
		a.finish(name, e)
		return true, nil
	case "output_item.added", "output_item.done":
		return false, a.addItem(name == "output_item.done", e)
	case "content_part.done", "reasoning_part.done":
		return false, a.addPart(e, listContent)
	case "reasoning_summary_part.done":
		return false, a.addPart(e, listSummary)
	default:
		return false, a.addDelta(name, e)
	}
	return false, nil
}

// IsComplete tells whether the last event has come.
func (a *assembler) IsComplete() bool { return a.response != nil }

// Answer reads the response of the last event.
func (a *assembler) Answer() (model.Answer, error) { return readResponse(a.response) }

// finish completes the response of the last event from those before.
func (a *assembler) finish(eventStatus string, e protocol.Event) {
	response := rawjson.Fields(e.Fields["response"])
	status := worseStatus(eventStatus, rawjson.Text(response["status"]))
	response["status"] = rawjson.Encode(status)
	if status == "failed" && !protocol.ReportsError(response["error"]) {
		response["error"] = e.Fields["error"]
	}
	if rawjson.IsNull(response["model"]) {
		response["model"] = a.model
	}
	var output []json.RawMessage
	if _ = json.Unmarshal(response["output"], &output); len(output) == 0 && len(a.items) > 0 {
		response["output"] = rawjson.Array(a.output(status))
	}
	a.response = response
}

// worseStatus is the worse of what the last event is called and what its
// response says: servers name an event completed that brings a response which
// is not.
func worseStatus(event, response string) string {
	for _, bad := range []string{"failed", "cancelled", "incomplete"} {
		if event == bad || response == bad {
			return bad
		}
	}
	return event
}

// output is the items so far in the order of their indexes. What has not been
// closed ended with the response.
func (a *assembler) output(status string) []json.RawMessage {
	slices.SortStableFunc(a.items, func(x, y *streamedItem) int { return cmp.Compare(x.index, y.index) })
	all := make([]json.RawMessage, 0, len(a.items))
	for _, one := range a.items {
		all = append(all, one.encode(status))
	}
	return all
}
