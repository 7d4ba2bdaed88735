package workflows

import (
	"encoding/json"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
)

// conversation is the items so far. The workflow owns it; workers hold copies.
type conversation struct {
	items  []json.RawMessage
	digest string
	// sent is how many items the last inference was told of.
	sent int
	// named are the names of the items after that which a worker of the run
	// has had in its hands, by index.
	named map[int]string
	// tokens is what the model is thought to be shown: as its server counted it
	// last, and a guess for what was added since.
	tokens int64
}

// maxNewItems bounds the items that travel with an inference. Above it the
// worker asks for them, so that nothing large enters history twice.
const maxNewItems = 256 << 10

// add appends an item and returns its index.
func (c *conversation) add(it json.RawMessage) int {
	c.items = append(c.items, it)
	c.tokens += int64(len(it) / bytesPerToken)
	c.digest = item.NextDigest(c.digest, it)
	return len(c.items) - 1
}

// about is the first text of the user, cut to a line.
func (c *conversation) about() string {
	for _, it := range c.items {
		if head, err := item.Peek(it); err == nil && head.Role == "user" {
			text, _ := tools.Cut(item.Text(it), maxText)
			return inline(text, maxSummary)
		}
	}
	return ""
}

// counted takes over what a model's server has counted. Its answer's items are
// added afterwards, and are among what was counted.
func (c *conversation) counted(u item.Usage) {
	if u.InputTokens > 0 {
		c.tokens = u.InputTokens
	}
}

// addHeld appends an item that comes from a worker: an answer of the model, or
// the output of a tool. A large one is in history already, so the next
// inference gets its name.
func (c *conversation) addHeld(it json.RawMessage) int {
	index := c.add(it)
	if len(it) >= item.RefFrom {
		if c.named == nil {
			c.named = map[int]string{}
		}
		c.named[index] = item.Ref(it)
	}
	return index
}

// inferInput describes the conversation to the next inference and counts all
// of it as sent.
func (c *conversation) inferInput() activities.InferInput {
	in := activities.InferInput{Length: len(c.items), Digest: c.digest, From: c.sent}
	size := 0
	for i, it := range c.items[c.sent:] {
		if name, is := c.named[c.sent+i]; is {
			it = item.RefItem(name)
		}
		size += len(it)
		in.Items = append(in.Items, it)
	}
	if size > maxNewItems {
		in.Items = nil
	}
	c.sent, c.named = len(c.items), nil
	return in
}
