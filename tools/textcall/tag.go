package textcall

import "bytes"

type kind int

const (
	callStart kind = iota
	callEnd
	planStart
	planEnd
)

// tag is one <fc>, </fc>, <plan> or </plan>.
type tag struct {
	kind     kind
	from, to int
	// odd tells whether the number of quotes before the tag is odd: of two tags
	// that differ in it, one is inside a JSON string if the other is not.
	odd bool
	// end is the next tag that can close a start, outside is the next one that
	// is in no JSON string begun behind it; -1 if there is none.
	end, outside int
	// alone tells whether no other <fc> stands between start and end.
	alone bool
}

// tagsOf lists the tags of a text.
func tagsOf(data []byte) []tag {
	var all []tag
	odd := false
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			odd = !odd
		case '\\': // an escaped quote does not count
			if i+1 < len(data) && (data[i+1] == '"' || data[i+1] == '\\') {
				i++
			}
		case '<':
			if t, ok := tagAt(data, i); ok {
				t.odd = odd
				all = append(all, t)
				i = t.to - 1
			}
		}
	}
	match(all)
	return all
}

// match finds the ends of every start.
func match(all []tag) {
	next := map[bool]int{false: -1, true: -1} // the next </fc> by its odd
	nextPlan, nextCall := -1, -1
	for i := len(all) - 1; i >= 0; i-- {
		t := &all[i]
		switch t.kind {
		case callEnd:
			next[t.odd], nextCall = i, i
		case planEnd:
			nextPlan = i
		case planStart:
			t.end = nextPlan
		case callStart:
			t.outside = next[t.odd]
			t.end = earlier(t.outside, next[!t.odd])
			t.alone = t.end == nextCall
			nextCall = i
		}
	}
}

func earlier(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// tagAt reads the tag that begins with the < at from: any case, spaces, and in
// a start attributes, which mean nothing. <fc/> holds nothing, so it is no tag.
func tagAt(data []byte, from int) (tag, bool) {
	t := tag{from: from, end: -1, outside: -1}
	at := from + 1
	closing := at < len(data) && data[at] == '/'
	if closing {
		for at++; at < len(data) && space(data[at]); {
			at++
		}
	}
	switch {
	case hasFold(data[at:], "fc"):
		t.kind, at = callStart, at+len("fc")
	case hasFold(data[at:], "plan"):
		t.kind, at = planStart, at+len("plan")
	default:
		return t, false
	}
	if closing {
		t.kind++
	}
	named := at
	for at < len(data) && data[at] != '>' {
		if data[at] == '<' || !space(data[named]) || closing && !space(data[at]) {
			return t, false
		}
		at++
	}
	t.to = at + 1
	return t, at < len(data) && data[at-1] != '/'
}

func hasFold(data []byte, name string) bool {
	return len(data) >= len(name) && bytes.EqualFold(data[:len(name)], []byte(name))
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
