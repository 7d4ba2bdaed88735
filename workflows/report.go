package workflows

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// report is what a run has to say for itself beside its conversation.
type report struct {
	status    contract.Status
	model     string
	usage     item.Usage
	cost      *item.Cost // nil where no price is known
	lastError string
	// output holds the newest public items in origin order, as many as a result
	// can hold; outputSize is what they take there, outputLeftOut counts those
	// before them.
	output        []json.RawMessage
	outputSize    int
	outputLeftOut int
	// stored is what a call may return where the workers have external storage, as
	// the newest inference has said it, and what a result may have beside
	// MaxResultSize then; 0 where they have none.
	stored int

	traces []tools.Trace
	// oldTraces is how many older ones are no longer held: see shed.
	oldTraces int
	changes   []tools.Change
	release   []contract.Release
	warnings  []string
	// sources are the titles of pages that web_search has given the model, by
	// address.
	sources map[string]string
	// repeats counts warnings that were left out.
	repeats int
}

// publish adds a public item, and returns its place, counted from 1. What no
// result could hold any more is let go: the query conversation has it.
func (r *report) publish(it json.RawMessage) (place int) {
	r.output = append(r.output, it)
	r.outputSize += itemSize(it)
	place = r.outputLeftOut + len(r.output)
	r.letGo()
	return place
}

// republish changes the item at a place, unless that was let go.
func (r *report) republish(place int, it json.RawMessage) {
	i := place - 1 - r.outputLeftOut
	if i < 0 {
		return
	}
	r.outputSize += itemSize(it) - itemSize(r.output[i])
	r.output[i] = it
	r.letGo()
}

func (r *report) letGo() {
	for len(r.output) > 1 && r.outputSize > contract.MaxResultSize+r.stored {
		r.outputSize -= itemSize(r.output[0])
		r.output = r.output[1:]
		r.outputLeftOut++
	}
}

// itemSize is what an element of a list takes there, with its comma.
func itemSize(v any) int { return tools.EncodedSize(v) + 1 }

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
