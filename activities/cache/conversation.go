package cache

import (
	"encoding/json"

	"errand/tools/item"
)

// Conversation is a prefix of a run's conversation. It is a value: extending it
// never changes what another activity has of it.
type Conversation struct {
	Items []json.RawMessage
	// digests[i] is the digest of the first i+1 items.
	digests []string
	bytes   int
}

// overhead is what an item costs beside its text: two slice headers and a
// digest.
const overhead = 96

// ItemBytes is what an item costs to keep.
func ItemBytes(it json.RawMessage) int { return len(it) + overhead }

// With is the conversation with items added.
func (c Conversation) With(items ...json.RawMessage) Conversation {
	last := c.Digest()
	next := Conversation{
		Items:   append(c.Items[:len(c.Items):len(c.Items)], items...),
		digests: c.digests[:len(c.digests):len(c.digests)],
		bytes:   c.bytes,
	}
	for _, it := range items {
		last = item.NextDigest(last, it)
		next.digests = append(next.digests, last)
		next.bytes += ItemBytes(it)
	}
	return next
}

// First is the prefix of n items.
func (c Conversation) First(n int) Conversation {
	p := Conversation{Items: c.Items[:n:n], digests: c.digests[:n:n]}
	for _, it := range p.Items {
		p.bytes += ItemBytes(it)
	}
	return p
}

// Digest is that of all items; empty for none.
func (c Conversation) Digest() string {
	if len(c.digests) == 0 {
		return ""
	}
	return c.digests[len(c.digests)-1]
}

// Bytes is what the conversation costs to keep.
func (c Conversation) Bytes() int { return c.bytes }
