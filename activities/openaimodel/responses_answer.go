package openaimodel

import (
	"encoding/json"

	"errand/activities"
	"errand/tools/item"
)

// decodeResponses reads a response object. Fields are read one by one: a
// server that writes one of them oddly has still answered.
func decodeResponses(got reply) (activities.ModelAnswer, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(got.body, &fields) != nil || fields == nil {
		return activities.ModelAnswer{}, got.garbled("the answer is not a JSON object")
	}
	return readResponse(got, fields)
}

// readResponse reads the members of a response object.
func readResponse(got reply, fields map[string]json.RawMessage) (activities.ModelAnswer, error) {
	status := scalar(fields["status"])
	if failure := unfinished(got, status, fields["error"]); failure != nil {
		failure.Usage = responsesUsage(fields["usage"]) // a failed answer is paid all the same
		return activities.ModelAnswer{}, failure
	}
	var output []json.RawMessage
	if json.Unmarshal(fields["output"], &output) != nil || output == nil {
		return activities.ModelAnswer{}, got.garbled("the answer has neither output nor error")
	}
	return activities.ModelAnswer{
		Items: answerItems(output),
		Stop:  responsesStop(status, fields["incomplete_details"]),
		Usage: responsesUsage(fields["usage"]),
		Model: scalar(fields["model"]),
	}, nil
}

// unfinished is the error of a response that is no answer, or nil.
func unfinished(got reply, status string, complained json.RawMessage) *activities.ModelError {
	switch {
	case reportsError(complained), status == "failed":
		return got.complaintWithin(readError(complained))
	case status == "cancelled":
		return got.fault("cancelled", false, "the server cancelled the response")
	case status == "queued", status == "in_progress":
		// Asked again, the server would queue once more.
		return got.fault(status, true,
			"the server answered before the response was done, and responses are not polled; leave \"background\" out of the request")
	}
	return nil
}

// responsesStop goes by the details before the status: some servers call a cut
// response completed.
func responsesStop(status string, details json.RawMessage) activities.Stop {
	var incomplete struct {
		Reason json.RawMessage `json:"reason"`
	}
	_ = json.Unmarshal(details, &incomplete)
	switch reason := scalar(incomplete.Reason); {
	case reason == string(activities.StopFilter):
		return activities.StopFilter
	case reason != "", status == "incomplete":
		return activities.StopLength
	}
	return activities.StopCompleted
}

// answerItems keeps the items that a conversation is made of. Hosted tools
// are never declared, so other items have nothing to say here.
func answerItems(output []json.RawMessage) []json.RawMessage {
	kept := make([]json.RawMessage, 0, len(output))
	for _, raw := range output {
		var head struct {
			Type json.RawMessage `json:"type"`
			Role json.RawMessage `json:"role"`
		}
		if json.Unmarshal(raw, &head) != nil {
			continue
		}
		switch kind := scalar(head.Type); {
		case kind == item.TypeFunctionCall:
			kept = append(kept, textual(raw))
		case kind == item.TypeMessage, kind == item.TypeReasoning, kind == "" && scalar(head.Role) != "":
			kept = append(kept, raw)
		}
	}
	return kept
}

// textual turns what came as another kind of value into the text that the API
// defines: arguments as an object, an id as a number. A call that is right
// already stays as it is.
func textual(raw json.RawMessage) json.RawMessage {
	all, err := members(raw)
	if err != nil {
		return raw
	}
	changed := false
	var call object
	for _, m := range all {
		var text *string
		wrong := json.Unmarshal(m.value, &text) != nil
		switch {
		case wrong && m.key == "arguments":
			m.value, changed = encode(argumentText(m.value)), true
		case wrong && (m.key == "call_id" || m.key == "id" || m.key == "name"):
			m.value, changed = encode(scalar(m.value)), true
		}
		call.raw(m.key, m.value)
	}
	if !changed {
		return raw
	}
	return call.bytes()
}
