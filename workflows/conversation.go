package workflows

import (
	"encoding/json"

	"errand/activities"
	"errand/tools/item"
)

// conversation is the items so far. The workflow owns it; workers hold copies.
type conversation struct {
	items  []json.RawMessage
	digest string
	// sent is how many items the last inference was told of.
	sent int
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
	c.digest = activities.NextDigest(c.digest, it)
	return len(c.items) - 1
}

// counted takes over what a model's server has counted. Its answer's items are
// added afterwards, and are among what was counted.
func (c *conversation) counted(u item.Usage) {
	if u.InputTokens > 0 {
		c.tokens = u.InputTokens
	}
}

// inferInput describes the conversation to the next inference and counts all
// of it as sent.
func (c *conversation) inferInput() activities.InferInput {
	in := activities.InferInput{
		Length: len(c.items), Digest: c.digest, From: c.sent, Items: c.items[c.sent:],
	}
	size := 0
	for _, it := range in.Items {
		size += len(it)
	}
	if size > maxNewItems {
		in.Items = nil
	}
	c.sent = len(c.items)
	return in
}
