package workflows

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
)

// report is what a run has to say for itself beside its conversation.
type report struct {
	status    Status
	model     string
	usage     item.Usage
	cost      *item.Cost // nil where no price is known
	lastError string
	// output holds the public items in origin order.
	output []json.RawMessage
	traces []tools.Trace
	// oldTraces is how many older ones are no longer held: see shed.
	oldTraces int
	changes   []tools.Change
	release   []Release
	warnings  []string
	// sources are the titles of pages that web_search has given the model, by
	// address.
	sources map[string]string
	// repeats counts warnings that were left out.
	repeats int
}

// maxWarnings bounds the warnings of a run: a flood of bad signals must not
// grow its result.
const maxWarnings = 200

func (r *report) warn(texts ...string) {
	for _, text := range texts {
		if len(r.warnings) == maxWarnings {
			r.repeats++
			continue
		}
		r.warnings = append(r.warnings, short(text))
	}
}

// maxText bounds what events, errors and warnings quote from outside.
const maxText = 1000

func short(text string) string {
	cut, _ := tools.Cut(text, maxText)
	return cut
}

func (r *report) allWarnings() []string {
	all := append([]string{}, r.warnings...)
	if r.repeats > 0 {
		all = append(all, fmt.Sprintf("… and %d more warnings", r.repeats))
	}
	return all
}
