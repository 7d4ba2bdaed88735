package responses

import (
	"encoding/json"
	"errors"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/tools/item"
)

// decode reads a response object. Fields are read one by one: a server that
// writes one of them oddly has still answered.
func decode(body []byte) (model.Answer, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return model.Answer{}, errors.New("the answer is not a JSON object")
	}
	return readResponse(fields)
}

// readResponse reads the members of a response object, which came whole or at
// the end of a stream.
func readResponse(fields map[string]json.RawMessage) (model.Answer, error) {
	status := rawjson.Text(fields["status"])
	if err := failure(status, fields); err != nil {
		return model.Answer{}, err
	}
	var output []json.RawMessage
	if json.Unmarshal(fields["output"], &output) != nil || output == nil {
		return model.Answer{}, errors.New("the answer has neither output nor error")
	}
	return model.Answer{
		Items:  answerItems(output),
		Finish: stop(status, fields["incomplete_details"]),
		Usage:  readUsage(fields["usage"]),
		Model:  rawjson.Text(fields["model"]),
	}, nil
}

// failure is the error of a response that is no answer, or nil.
func failure(status string, fields map[string]json.RawMessage) error {
	var failed protocol.ServerError
	switch {
	case protocol.ReportsError(fields["error"]), status == "failed":
		failed = protocol.ReadError(fields["error"])
	case status == "cancelled":
		failed = protocol.ServerError{Code: status, Message: "the server cancelled the response"}
	case status == "queued", status == "in_progress":
		// Asked again, the server would queue once more.
		failed = protocol.ServerError{
			Code: status, IsPermanent: true,
			Message: "the server answered before the response was done, and responses are not polled; leave \"background\" out of the request",
		}
	default:
		return nil
	}
	failed.Usage = readUsage(fields["usage"]) // a failed answer is paid all the same
	return failed
}

// readUsage is nil when a server reports none, or nothing readable.
func readUsage(raw json.RawMessage) *item.Usage {
	var usage *item.Usage
	if rawjson.IsNull(raw) || json.Unmarshal(raw, &usage) != nil {
		return nil
	}
	return protocol.WithTotal(usage)
}

// stop goes by the details before the status: some servers call a cut
// response completed.
func stop(status string, details json.RawMessage) model.FinishReason {
	var incomplete struct {
		Reason json.RawMessage `json:"reason"`
	}
	_ = json.Unmarshal(details, &incomplete)
	switch reason := rawjson.Text(incomplete.Reason); {
	case reason == string(model.FinishFilter):
		return model.FinishFilter
	case reason != "", status == "incomplete":
		return model.FinishLength
	}
	return model.FinishCompleted
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
		switch kind := rawjson.Text(head.Type); {
		case kind == item.TypeFunctionCall:
			kept = append(kept, withTexts(raw))
		case kind == item.TypeMessage, kind == item.TypeReasoning, kind == "" && rawjson.Text(head.Role) != "":
			kept = append(kept, raw)
		}
	}
	return kept
}

// withTexts turns what came as another kind of value into the text that the API
// defines: arguments as an object, an id as a number. A call that is right
// already stays as it is.
func withTexts(raw json.RawMessage) json.RawMessage {
	call, err := rawjson.ParseObject(raw)
	if err != nil {
		return raw
	}
	changed := false
	for i, m := range call {
		var text *string
		if json.Unmarshal(m.Value, &text) == nil {
			continue
		}
		switch m.Key {
		case "arguments":
			call[i].Value, changed = rawjson.Encode(protocol.ArgumentText(m.Value)), true
		case "call_id", "id", "name":
			call[i].Value, changed = rawjson.Encode(rawjson.Text(m.Value)), true
		}
	}
	if !changed {
		return raw
	}
	return call.Encode()
}
