package contract

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// Result is what a run ends with, in the shape of an OpenAI Responses object
// plus run. A failed or cancelled run carries the same as error details.
type Result struct {
	ID         string            `json:"id"`
	Object     string            `json:"object"` // always response
	Status     Status            `json:"status"`
	Model      string            `json:"model"`
	Output     []json.RawMessage `json:"output"`
	OutputText string            `json:"output_text"`
	Usage      item.Usage        `json:"usage"`
	Error      *RunError         `json:"error"`
	Incomplete *IncompleteReason `json:"incomplete_details"`
	Metadata   json.RawMessage   `json:"metadata,omitempty"`
	// Tools are the caller's own declarations.
	Tools json.RawMessage `json:"tools,omitempty"`
	Run   RunReport       `json:"run"`
}

// RunError says why a run failed.
type RunError struct {
	// Code is one of the run error types, for example ModelRejected.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Faults lists everything wrong with a request.
	Faults tools.Faults `json:"faults,omitempty"`
}

// IncompleteReason says why a run stopped early: max_rounds, max_tokens,
// max_cost, stopped, max_output_tokens, content_filter.
type IncompleteReason struct {
	Reason string `json:"reason"`
}

// RunReport is Errand's own part of a result.
type RunReport struct {
	Rounds int `json:"rounds"`
	// Cost is that of all inferences, failed attempts included, in the currency
	// of the worker's prices; absent where no price is known.
	Cost     *item.Cost     `json:"cost,omitempty"`
	Traces   []tools.Trace  `json:"traces"`
	Changes  []tools.Change `json:"changes"`
	Release  []Release      `json:"release"`
	Warnings []string       `json:"warnings"`
	// Stop says who stopped the run, and how; nil when nobody did.
	Stop *StopReport `json:"stop,omitempty"`
	// ItemsLeftOut and TracesLeftOut count the oldest entries that did not fit
	// in a result; the queries conversation and traces have them all.
	ItemsLeftOut  int `json:"items_left_out,omitempty"`
	TracesLeftOut int `json:"traces_left_out,omitempty"`
}

// Release says how the closing of one session ended.
type Release struct {
	Source string `json:"source"`
	Epoch  int    `json:"epoch"`
	Error  string `json:"error,omitempty"`
}
