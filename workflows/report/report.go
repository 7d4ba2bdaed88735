// Package report gathers what a run has to say for itself beside its
// conversation, and makes it fit into a result.
package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Report is what the result of a run is made of.
type Report struct {
	Status    contract.Status `json:"status"`
	Model     string          `json:"model,omitempty"`
	LastError string          `json:"last_error,omitempty"`
	// Output holds the newest public items in origin order, as many as a result
	// can hold; LeftOut counts those before them.
	Output  []json.RawMessage `json:"output,omitempty"`
	LeftOut int               `json:"left_out,omitempty"`
	// Stored is what a call may return where the workers have external storage, as
	// the newest inference has said it, and what a result may have beside
	// MaxResultSize then; 0 where they have none.
	Stored int           `json:"stored,omitempty"`
	Traces []tools.Trace `json:"traces,omitempty"`
	// OldTraces is how many older ones are no longer held: see Shed.
	OldTraces int                `json:"old_traces,omitempty"`
	Changes   []tools.Change     `json:"changes,omitempty"`
	Release   []contract.Release `json:"release,omitempty"`
	Warnings  []string           `json:"warnings,omitempty"`
	// Repeats counts warnings that were left out.
	Repeats int `json:"repeats,omitempty"`
	// Sources are the titles of pages that web_search has given the model, by
	// address.
	Sources map[string]string `json:"sources,omitempty"`
	// size is what Output takes in a result.
	size int
}

// Publish adds a public item, and returns its place, counted from 1. What no
// result could hold any more is let go: the query conversation has it.
func (r *Report) Publish(it json.RawMessage) (place int) {
	r.Output = append(r.Output, it)
	r.size += tools.ElementSize(it)
	place = r.LeftOut + len(r.Output)
	r.letGo()
	return place
}

// Republish changes the item at a place, unless that was let go.
func (r *Report) Republish(place int, it json.RawMessage) {
	i := place - 1 - r.LeftOut
	if i < 0 {
		return
	}
	r.size += tools.ElementSize(it) - tools.ElementSize(r.Output[i])
	r.Output[i] = it
	r.letGo()
}

func (r *Report) letGo() {
	for len(r.Output) > 1 && r.size > contract.MaxResultSize+r.Stored {
		r.size -= tools.ElementSize(r.Output[0])
		r.Output = r.Output[1:]
		r.LeftOut++
	}
}

// Without is the report as it travels beside a conversation: an output that is
// an item of the conversation is that item's index.
func (r Report) Without(items []json.RawMessage) Report {
	places := make(map[string]int, len(items))
	for i, it := range items {
		places[string(it)] = i
	}
	var output []json.RawMessage
	for _, it := range r.Output {
		if i, is := places[string(it)]; is {
			it = strconv.AppendInt(nil, int64(i), 10)
		}
		output = append(output, it)
	}
	r.Output = output
	return r
}

// Restore puts back the items that Without has left out, and works out again
// what is not carried.
func (r *Report) Restore(items []json.RawMessage) error {
	output := r.Output
	r.Output, r.size = nil, 0
	for _, it := range output {
		if i, err := strconv.Atoi(string(it)); err == nil {
			if i < 0 || i >= len(items) {
				return fmt.Errorf("the report names item %d of %d", i, len(items))
			}
			it = items[i]
		}
		r.Publish(it)
	}
	return nil
}

// Shed leaves the oldest traces behind, so that only so many stay, and returns
// how many these were.
func (r *Report) Shed(keep int) int {
	old := max(0, len(r.Traces)-keep)
	r.Traces, r.OldTraces = r.Traces[old:], r.OldTraces+old
	return old
}

// SizeBeside is what the public items take that are not items of the
// conversation.
func (r *Report) SizeBeside(items []json.RawMessage) int {
	shared := make(map[*byte]bool, len(items))
	for _, it := range items {
		shared[first(it)] = true
	}
	size := 0
	for _, it := range r.Output {
		if !shared[first(it)] {
			size += len(it)
		}
	}
	return size
}

// first tells two items apart without reading them: what is both is the same
// memory.
func first(it json.RawMessage) *byte {
	if len(it) == 0 {
		return nil
	}
	return &it[0]
}

// maxWarnings bounds the warnings of a run: a flood of bad signals must not
// grow its result.
const maxWarnings = 200

// Warn adds warnings; what is beyond their bound is counted.
func (r *Report) Warn(texts ...string) {
	for _, text := range texts {
		if len(r.Warnings) == maxWarnings {
			r.Repeats++
			continue
		}
		r.Warnings = append(r.Warnings, Short(text))
	}
}

// AllWarnings are the warnings with a note on those that were left out.
func (r *Report) AllWarnings() []string {
	all := append([]string{}, r.Warnings...)
	if r.Repeats > 0 {
		all = append(all, fmt.Sprintf("… and %d more warnings", r.Repeats))
	}
	return all
}

// maxText bounds what events, errors and warnings quote from outside, in bytes.
const maxText = 1000

// Short cuts a text from outside to what events, errors and warnings quote.
func Short(text string) string {
	cut, _ := tools.Cut(text, maxText)
	return cut
}

// maxSources bounds the pages that a run remembers for citations.
const maxSources = 2000

// Cite remembers the pages that a web_search_call item names as sources.
func (r *Report) Cite(raw json.RawMessage) {
	for _, s := range item.Sources(raw) {
		if r.Sources == nil {
			r.Sources = map[string]string{}
		}
		title, known := r.Sources[s.URL]
		if title == "" && (known || len(r.Sources) < maxSources) {
			r.Sources[s.URL] = s.Title
		}
	}
}

// HasSource tells whether a page is among the sources. A place in the page makes
// no difference.
func (r *Report) HasSource(address string) bool {
	address = strings.TrimSpace(address)
	page, _, _ := strings.Cut(address, "#")
	_, whole := r.Sources[address]
	_, ok := r.Sources[page]
	return whole || ok
}

// Cited is an item with a url_citation for every place where the model wrote
// the address of a page that web_search has given it. Nothing else is cited.
func (r *Report) Cited(raw json.RawMessage) json.RawMessage {
	if len(r.Sources) == 0 {
		return raw
	}
	return item.Cite(raw, r.Sources)
}
