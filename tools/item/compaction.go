package item

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// TypeCompaction is the type of the item that stands for others. It is
// Errand's own: the model sees what it stands for.
const TypeCompaction = "errand_compaction"

// Compaction makes a conversation shorter for its model. It is an item of the
// conversation itself, so that nothing is lost and every worker reads the same:
// the model is shown the first Keep items, then Items, then the conversation
// from index UpTo on. The last compaction of a conversation counts.
type Compaction struct {
	Type  string            `json:"type"`
	Keep  int               `json:"keep"`
	UpTo  int               `json:"up_to"`
	Items []json.RawMessage `json:"items,omitempty"`
}

// Raw is the compaction as an item.
func (c Compaction) Raw() json.RawMessage {
	c.Type = TypeCompaction
	return encode(c)
}

// Shown is the part of a conversation that its model sees.
func Shown(items []json.RawMessage) []json.RawMessage {
	at, c := Last(items)
	if at < 0 {
		return items
	}
	shown := make([]json.RawMessage, 0, c.Keep+len(c.Items)+len(items)-c.UpTo)
	shown = append(shown, items[:c.Keep]...)
	shown = append(shown, c.Items...)
	for i, it := range items[c.UpTo:] {
		if c.UpTo+i == at || IsCompaction(it) {
			continue
		}
		shown = append(shown, it)
	}
	return shown
}

// IsCompaction tells whether an item stands for others.
func IsCompaction(raw json.RawMessage) bool {
	if IsOwnOutput(raw) || !bytes.Contains(raw, []byte(TypeCompaction)) { // reading every item of a long conversation takes its time
		return false
	}
	head, err := Peek(raw)
	return err == nil && head.Type == TypeCompaction
}

// Last is the one that counts, and its index; -1 if there is none.
// One that does not fit the conversation that it stands in, from another one,
// does not count.
func Last(items []json.RawMessage) (int, Compaction) {
	for i := len(items) - 1; i >= 0; i-- {
		if !IsCompaction(items[i]) {
			continue
		}
		var c Compaction
		if json.Unmarshal(items[i], &c) == nil && 0 <= c.Keep && c.Keep <= c.UpTo && c.UpTo <= i {
			return i, c
		}
	}
	return -1, Compaction{}
}

// LeftOutNote is what the default compaction puts in place of n items.
func LeftOutNote(n int) json.RawMessage {
	return Message("developer", fmt.Sprintf("[%d earlier items of this conversation were left out because they no longer fit.]", n))
}
