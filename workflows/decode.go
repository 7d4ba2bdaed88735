package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/tools/item"
)

// interpreted are the request fields that Errand reads itself; all others are
// settings of the model.
var interpreted = []string{
	"model", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls",
	"max_tool_calls", "metadata", "run",
}

// senseless are fields that contradict what a run is, with the reason.
var senseless = map[string]string{
	"stream":         "a run is followed by its events, not by a stream of the request",
	"stream_options": "a run is followed by its events, not by a stream of the request",
	"background":     "every run is durable and in the background",
}

// refused are fields that would make a run answer wrongly.
var refused = map[string]string{
	"previous_response_id": "not supported: put the earlier items into input",
	"conversation":         "not supported: put the earlier items into input",
}

// DecodeRequest reads and checks a request. Every fault is listed with its
// JSON path. The request is returned even then, as far as it could be read.
func DecodeRequest(raw []byte) (Request, tools.Faults) {
	var faults tools.Faults
	r := Request{Run: DefaultOptions()}
	if len(raw) == 0 {
		faults.Add("", "the request is missing: start the run with one JSON object as its argument")
		return r, faults
	}
	fields, ok := tools.Object(raw)
	if !ok {
		faults.Add("", "the request must be one JSON object")
		return r, faults
	}
	tools.Field(fields, "", "model", &r.Model, "a string", &faults)
	if r.Model == "" && !faulty(faults, "model") {
		faults.Add("model", "required: the name of a model")
	}
	tools.Field(fields, "", "instructions", &r.Instructions, "a string", &faults)
	tools.Field(fields, "", "parallel_tool_calls", &r.ParallelToolCalls, "true or false", &faults)
	r.decodeInput(fields, &faults)
	r.decodeTools(fields, &faults)
	r.decodeMetadata(fields, &faults)
	r.decodeSettings(fields, &faults)
	r.Run.decode(fields, &faults)
	return r, faults
}

func (r *Request) decodeTools(fields map[string]json.RawMessage, faults *tools.Faults) {
	if raw, given := fields["tools"]; given && string(raw) != "null" {
		r.RawTools = tools.MaskSecrets(raw)
		r.Tools = tools.ParseDeclarations(raw, faults)
	}
	for _, d := range r.Tools {
		if !d.Known() {
			r.Warnings = append(r.Warnings, fmt.Sprintf(
				"%s: tools of type %q are not known to this build: the model is not offered it", d.Path, d.Type))
		}
	}
	tools.Field(fields, "", "max_tool_calls", &r.MaxToolCalls, "a whole number", faults)
	if r.MaxToolCalls < 0 {
		faults.Add("max_tool_calls", "must not be negative")
	}
	if raw, given := fields["tool_choice"]; given && string(raw) != "null" {
		r.ToolChoice = raw
		checkChoice(raw, r.Tools, faults)
	}
}

func (r *Request) decodeMetadata(fields map[string]json.RawMessage, faults *tools.Faults) {
	raw, given := fields["metadata"]
	if !given || string(raw) == "null" {
		return
	}
	var pairs map[string]string
	if json.Unmarshal(raw, &pairs) != nil {
		faults.Add("metadata", "must be an object of strings")
		return
	}
	r.Metadata = raw
}

func (r *Request) decodeSettings(fields map[string]json.RawMessage, faults *tools.Faults) {
	r.Settings = map[string]json.RawMessage{}
	for _, name := range workflow.DeterministicKeys(fields) {
		raw := fields[name]
		if reason, is := refused[name]; is && string(raw) != "null" {
			faults.Add(name, reason)
			continue
		}
		if reason, is := senseless[name]; is {
			if text := string(raw); text != "null" && text != "false" {
				r.Warnings = append(r.Warnings, name+": ignored: "+reason)
			}
			continue
		}
		if !slices.Contains(interpreted, name) {
			r.Settings[name] = raw
		}
	}
}

func (r *Request) decodeInput(fields map[string]json.RawMessage, faults *tools.Faults) {
	raw, given := fields["input"]
	if !given || string(raw) == "null" {
		faults.Add("input", "required: text, or an array of items")
		return
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if strings.TrimSpace(text) == "" {
			faults.Add("input", "must not be empty")
			return
		}
		r.Input = []json.RawMessage{item.Message("user", text)}
		return
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		faults.Add("input", "must be text, or an array of items")
		return
	}
	if len(items) == 0 {
		faults.Add("input", "must not be empty")
		return
	}
	r.Input = items
	checkItems(items, faults)
}

func faulty(faults tools.Faults, path string) bool {
	return slices.ContainsFunc(faults, func(f tools.Fault) bool { return f.Path == path })
}
