package report

import (
	"encoding/json"
	"slices"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// OutputText is the text of the model's last message. The conversation is
// looked through if the output had to let that go.
func (r *Report) OutputText(items []json.RawMessage) string {
	text, found := lastMessage(r.Output)
	if !found && r.LeftOut > 0 {
		text, _ = lastMessage(items)
	}
	return text
}

func lastMessage(items []json.RawMessage) (text string, found bool) {
	for _, it := range slices.Backward(items) {
		head, err := item.Peek(it)
		if err == nil && head.Type == item.TypeMessage && !fromOutside(head.Role) {
			return item.Text(it), true
		}
	}
	return "", false
}

// fromOutside tells whether a message of this role was sent to the run.
func fromOutside(role string) bool { return role == "user" || role == "system" || role == "developer" }

// Fit leaves out what is least missed, as much as it takes for limit bytes. The queries have
// all of it. The size is worked out once and kept in step with what is taken
// out: a result of many megabytes must not hold its workflow task up.
func Fit(result *contract.Result, limit int) {
	if result.Output == nil {
		result.Output = []json.RawMessage{}
	}
	if result.Run.Traces == nil {
		result.Run.Traces = []tools.Trace{}
	}
	if result.Run.Release == nil {
		result.Run.Release = []contract.Release{}
	}
	if result.Run.Changes == nil {
		result.Run.Changes = []tools.Change{}
	}
	excess := resultSize(*result) + countsSize - limit
	for _, shrink := range []shrinker{
		fewerTraces(100), fewerItems, noChanges, noDeclarations, fewerTraces(0), fewerWarnings, shorterText, noMetadata,
	} {
		if excess > 0 {
			excess -= shrink(result, excess)
		}
	}
}

// resultSize is what a result takes as JSON, or a little more. What is raw JSON
// already, and may be large, is not encoded for it.
func resultSize(r contract.Result) int {
	size := 0
	for _, it := range r.Output {
		size += tools.ElementSize(it)
	}
	size += tools.EncodedSize(r.Tools) + tools.EncodedSize(r.Metadata) + len(`"tools":,"metadata":,`)
	r.Output, r.Tools, r.Metadata = nil, nil, nil
	return size + tools.EncodedSize(r)
}

// countsSize is room for the numbers of what was left out.
const countsSize = 100

// shrinker takes out of a result what takes at least so many bytes there, if
// it can, and tells how many that were.
type shrinker func(r *contract.Result, excess int) (freed int)

func fewerTraces(keep int) shrinker {
	return func(r *contract.Result, excess int) int {
		n, freed := oldest(r.Run.Traces[:max(len(r.Run.Traces)-keep, 0)], excess)
		r.Run.Traces = r.Run.Traces[n:]
		r.Run.TracesLeftOut += n
		return freed
	}
}

func fewerItems(r *contract.Result, excess int) int {
	n, freed := oldest(r.Output, excess)
	r.Output = r.Output[n:]
	r.Run.ItemsLeftOut += n
	return freed
}

// oldest is how many of the first entries take the bytes, and how many bytes
// these take.
func oldest[T any](all []T, excess int) (n, freed int) {
	for n < len(all) && freed < excess {
		freed += tools.ElementSize(all[n])
		n++
	}
	return n, freed
}

func noChanges(r *contract.Result, _ int) int {
	const note = "the changes did not fit in the result"
	freed := tools.EncodedSize(r.Run.Changes) - len("[]")
	if freed == 0 {
		return 0
	}
	r.Run.Changes = []tools.Change{}
	r.Run.Warnings = append(r.Run.Warnings, note)
	return freed - tools.ElementSize(note)
}

func noDeclarations(r *contract.Result, _ int) int { return without(&r.Tools) }

func fewerWarnings(r *contract.Result, _ int) int {
	const keep, note = 10, "… and more that did not fit in the result"
	if len(r.Run.Warnings) <= keep+1 {
		return 0
	}
	_, freed := oldest(r.Run.Warnings[keep:], contract.MaxResultSize)
	r.Run.Warnings = append(r.Run.Warnings[:keep:keep], note)
	return freed - tools.ElementSize(note)
}

func shorterText(r *contract.Result, _ int) int {
	before := tools.EncodedSize(r.OutputText)
	r.OutputText, _ = tools.Cut(r.OutputText, contract.MaxResultSize/2)
	return before - tools.EncodedSize(r.OutputText)
}

func noMetadata(r *contract.Result, _ int) int { return without(&r.Metadata) }

// without takes out a member that is left out when it is nil.
func without(member *json.RawMessage) (freed int) {
	if *member != nil {
		freed = tools.EncodedSize(*member)
	}
	*member = nil
	return freed
}

// Brief leaves in the result of a delegated run what its origin reads: a text and
// a report of at most limit bytes each. The run's own queries have the rest.
func Brief(result *contract.Result, limit int) {
	result.Output, result.Run.Traces, result.Tools = nil, nil, nil
	result.OutputText, _ = tools.Cut(result.OutputText, limit)
	if tools.EncodedSize(result.Run) > limit {
		noChanges(result, 0)
	}
}
