package activities

import (
	"encoding/json"

	"errand/tools/item"
)

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
