package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// What is kept of the request travels and is digested as it stands here.
	text, err := tools.Canonical(raw)
	fields, ok := tools.Object(text)
	if err != nil || !ok {
		faults.Add("", "the request must be one JSON object"+because(err))
		return r, faults
	}
	tools.Field(fields, "", "model", &r.Model, "a string", &faults)
	switch {
	case r.Model == "" && !faulty(faults, "model"):
		faults.Add("model", "required: the name of a model")
	case len(r.Model) > maxModel:
		faults.Add("model", fmt.Sprintf("has %d bytes, at most %d are taken", len(r.Model), maxModel))
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
	if len(pairs) > maxPairs || len(raw) > MaxMetadata {
		faults.Add("metadata", fmt.Sprintf("has %d pairs and %d bytes, at most %d pairs and %d bytes are taken",
			len(pairs), len(raw), maxPairs, MaxMetadata))
		return
	}
	r.Metadata = raw
}

func because(err error) string {
	if err == nil {
		return ""
	}
	text, _ := tools.Cut(err.Error(), maxQuoted)
	return " (" + text + ")"
}

func (r *Request) decodeSettings(fields map[string]json.RawMessage, faults *tools.Faults) {
	r.Settings = map[string]json.RawMessage{}
	for _, name := range sortedNames(fields) {
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
		if n := len(r.Input[0]); n > MaxItemSize {
			faults.Add("input", fmt.Sprintf("has %d bytes as JSON, at most %d are taken: split it into items", n, MaxItemSize))
		}
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

func sortedNames(fields map[string]json.RawMessage) []string {
	return slices.Sorted(maps.Keys(fields))
}
