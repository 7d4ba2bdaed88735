// Package conversation holds the items of a run, and works out what its model
// is told of them: the surface, the choice of a tool, what is sent.
package conversation

import (
	"encoding/json"

	"errand/activities"
	"errand/tools/item"
)

// Conversation is the items so far. The workflow owns it; workers hold copies.
type Conversation struct {
	Items []json.RawMessage `json:"items,omitempty"`
	// Sent is how many items the last inference was told of.
	Sent int `json:"sent,omitempty"`
	// Tokens is what the model is thought to be shown: as its server counted it
	// last, and a guess for what was added since.
	Tokens int64 `json:"tokens,omitempty"`
	digest string
	// named are the names of the items after Sent that a worker of the run has
	// had in its hands, by index. Another execution sends these in full.
	named map[int]string
}

const (
	// maxNewItems bounds the items that travel with an inference, in bytes.
	// Above it the worker asks for them, so that nothing large enters history
	// twice.
	maxNewItems = 256 << 10
	// bytesPerToken is the rule of thumb for what no server has counted.
	bytesPerToken = 4
)

// Restore works out again what a decoded conversation does not carry.
func (c *Conversation) Restore() {
	c.digest = ""
	for _, it := range c.Items {
		c.digest = item.NextDigest(c.digest, it)
	}
}

// Add appends an item and returns its index.
func (c *Conversation) Add(it json.RawMessage) int {
	c.Items = append(c.Items, it)
	c.Tokens += int64(len(it) / bytesPerToken)
	c.digest = item.NextDigest(c.digest, it)
	return len(c.Items) - 1
}

// AddHeld appends an item that comes from a worker: an answer of the model, or
// the output of a tool. A large one is in history already, so the next
// inference gets its name.
func (c *Conversation) AddHeld(it json.RawMessage) int {
	index := c.Add(it)
	if len(it) >= item.RefFrom {
		if c.named == nil {
			c.named = map[int]string{}
		}
		c.named[index] = item.Ref(it)
	}
	return index
}

// AddCompaction appends what makes the conversation shorter for its model, which
// is then shown so many tokens. The items before it stay.
func (c *Conversation) AddCompaction(it json.RawMessage, tokens int64) int {
	index := c.Add(it)
	c.Tokens = tokens
	return index
}

// FirstUserText is the text of the user's first message, or "".
func (c *Conversation) FirstUserText() string {
	for _, it := range c.Items {
		if head, err := item.Peek(it); err == nil && head.Role == "user" {
			return item.Text(it)
		}
	}
	return ""
}

// Counted takes over what a model's server has counted. Its answer's items are
// added afterwards, and are among what was counted.
func (c *Conversation) Counted(u item.Usage) {
	if u.InputTokens > 0 {
		c.Tokens = u.InputTokens
	}
}

// InferInput describes the conversation to the next inference and counts all
// of it as sent.
func (c *Conversation) InferInput() activities.InferInput {
	in := activities.InferInput{Length: len(c.Items), Digest: c.digest, From: c.Sent}
	size := 0
	for i, it := range c.Items[c.Sent:] {
		if name, is := c.named[c.Sent+i]; is {
			it = item.RefItem(name)
		}
		size += len(it)
		in.Items = append(in.Items, it)
	}
	if size > maxNewItems {
		in.Items = nil
	}
	c.Sent, c.named = len(c.Items), nil
	return in
}

// CompactInput describes the conversation to what makes it shorter; compactAt
// is the request's own bound in tokens, 0 for none.
func (c *Conversation) CompactInput(compactAt int) activities.CompactInput {
	return activities.CompactInput{Length: len(c.Items), Digest: c.digest, Tokens: c.Tokens, Aim: c.aim(compactAt)}
}

// Crowded tells whether the conversation is to be made shorter before it is
// sent: it has reached the bound in tokens, 0 for none.
func (c *Conversation) Crowded(compactAt int) bool {
	return compactAt > 0 && c.Tokens >= int64(compactAt)
}

// aim is how many tokens a conversation should have once it was made shorter:
// half of what it may have, so that it is not done again at once.
func (c *Conversation) aim(compactAt int) int64 {
	most := c.Tokens
	if compactAt > 0 {
		most = min(most, int64(compactAt))
	}
	return most / 2
}
