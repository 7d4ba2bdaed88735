package textcall

import "strings"

// MaxText is the longest text, in bytes, that is looked through; a longer one
// has no calls.
const MaxText = 2 << 20

// Call is one call that a text holds.
type Call struct {
	// ID is the model's own, empty if it gave none.
	ID string
	// Name is never empty.
	Name string
	// Arguments are the text of a JSON object.
	Arguments string
}

// Parse returns the calls of a text in order, and the text without them. A
// block that is no call stays where it is; so does everything inside
// <plan>…</plan>. Without any call the text comes back untouched.
func Parse(text string) (calls []Call, rest string) {
	if len(text) > MaxText {
		return nil, text
	}
	data := []byte(text)
	if call, ok := bare(data); ok {
		return []Call{call}, ""
	}
	all := tagsOf(data)
	var kept strings.Builder
	done := 0 // where the text goes on behind the last call
	for i := 0; i < len(all); i++ {
		switch {
		case all[i].kind == planStart && all[i].end >= 0:
			i = all[i].end
		case all[i].kind == callStart:
			call, last, ok := block(data, all, i)
			if !ok {
				continue
			}
			calls = append(calls, call)
			kept.WriteString(text[done:all[i].from])
			done = all[last].to
			i = last
		}
	}
	if calls == nil {
		return nil, text
	}
	kept.WriteString(text[done:])
	return calls, strings.TrimSpace(kept.String())
}

// block reads the block that tag i opens and returns the tag that closes it.
//
// The work is linear in the text although blocks may begin within others: a
// strict reading gives up at the next tag outside a JSON string, and only a
// block without another start in it is mended.
func block(data []byte, all []tag, i int) (call Call, last int, ok bool) {
	start := all[i]
	if start.end < 0 {
		return Call{}, 0, false
	}
	body := data[start.to:all[start.end].from]
	if call, ok = newCall(body); ok {
		return call, start.end, true
	}
	if start.alone {
		if mended, found := object(body, maxWraps); found {
			call, ok = newCall(mended)
		}
		if ok {
			return call, start.end, true
		}
	}
	// The end tag may have stood in a string of the arguments.
	if start.outside >= 0 && start.outside != start.end {
		call, ok = newCall(data[start.to:all[start.outside].from])
	}
	return call, start.outside, ok
}
