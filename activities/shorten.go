package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// shorten is a conversation and what its model is shown of it.
type shorten struct {
	all, shown []json.RawMessage
	keep       int
	// room is how many bytes of what is shown after keep should be left.
	room int
}

func (s *shorten) measure(in CompactInput) {
	bytes := 0
	for _, it := range s.shown[s.keep:] {
		bytes += len(it)
	}
	s.room = bytes / 2
	if in.Tokens > 0 {
		s.room = int(float64(bytes) * float64(in.Aim) / float64(in.Tokens))
	}
}

// notes is how many of the shown items stand for others: they are no reason to
// compact again.
func (s *shorten) notes() int { return len(s.shown) - s.keep - s.tail() }

// tail is how many of the shown items are the conversation's own, after keep.
func (s *shorten) tail() int {
	n := 0
	for _, it := range s.all[s.from():] {
		if !item.IsCompaction(it) {
			n++
		}
	}
	return n
}

// from is the index in the conversation at which the shown tail begins.
func (s *shorten) from() int {
	if at, c := item.Last(s.all); at >= 0 {
		return c.UpTo
	}
	return s.keep
}

// upTo is the index in the conversation behind the first drop shown items.
func (s *shorten) upTo(drop int) int {
	left := drop - s.notes()
	at := s.from()
	for ; at < len(s.all) && left > 0; at++ {
		if !item.IsCompaction(s.all[at]) {
			left--
		}
	}
	return at
}

// allowed is the largest cut that drops at most as much as a hook wants.
func (s *shorten) allowed(drop int) int {
	best := 0
	for _, at := range cuts(s.shown, s.keep) {
		if n := at - s.keep; n <= drop && n > s.notes() {
			best = n
		}
	}
	return best
}

func (s *shorten) result(drop int, instead []json.RawMessage, in CompactInput) CompactResult {
	upTo := s.upTo(drop)
	before, after := 0, tools.EncodedSize(instead)
	for i, it := range s.shown {
		before += len(it)
		if i < s.keep || i >= s.keep+drop {
			after += len(it)
		}
	}
	return CompactResult{
		Item:    item.Compaction{Keep: s.keep, UpTo: upTo, Items: instead}.Raw(),
		Tokens:  in.Tokens * int64(after) / int64(max(before, 1)),
		Dropped: upTo - s.keep,
	}
}

// head is how many items at the beginning of a conversation stay when others
// are dropped: what the run is about, up to the first message of the user.
func head(items []json.RawMessage) int {
	for i, raw := range items {
		h, err := item.Peek(raw)
		if err != nil || h.Type != item.TypeMessage || h.Role == "assistant" {
			return i
		}
		if h.Role == "user" {
			return i + 1
		}
	}
	return 0
}

// cuts are the indexes after keep at which a conversation may be cut: no call
// is parted from its outcome, no reasoning from what it led to. They are in
// order; the end of the conversation is none.
func cuts(items []json.RawMessage, keep int) []int {
	var all []int
	open := map[string]bool{}
	whole := true // nothing before this index leans on what follows
	for i := keep; i < len(items); i++ {
		h, err := item.Peek(items[i])
		if err != nil {
			continue
		}
		answers := h.Type == item.TypeFunctionCallOutput || h.Type == item.TypeCustomCallOutput
		if i > keep && whole && len(open) == 0 && !answers && !item.IsCompaction(items[i]) {
			all = append(all, i)
		}
		switch {
		case item.IsCall(h.Type):
			open[h.CallID] = true
		case answers:
			delete(open, h.CallID)
		}
		whole = h.Type != item.TypeReasoning
	}
	return all
}

// cutFor is the first cut that leaves at most room bytes after it, or the last
// one there is; 0 if there is none after from.
func cutFor(items []json.RawMessage, keep, from, room int) int {
	left := 0
	for _, it := range items[keep:] {
		left += len(it)
	}
	at, best := keep, 0
	for _, cut := range cuts(items, keep) {
		for ; at < cut; at++ {
			left -= len(items[at])
		}
		if cut <= from {
			continue
		}
		if best = cut; left <= room {
			break
		}
	}
	return best
}
