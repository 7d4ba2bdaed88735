package workflows

import (
	"encoding/json"

	"errand/activities"
)

// conversation is the items so far. The workflow owns it; workers hold copies.
type conversation struct {
	items  []json.RawMessage
	digest string
	// sent is how many items the last inference was told of.
	sent int
}

// maxNewItems bounds the items that travel with an inference. Above it the
// worker asks for them, so that nothing large enters history twice.
const maxNewItems = 256 << 10

// add appends an item and returns its index.
func (c *conversation) add(it json.RawMessage) int {
	c.items = append(c.items, it)
	c.digest = activities.NextDigest(c.digest, it)
	return len(c.items) - 1
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
