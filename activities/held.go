package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// HeldFrom is the size in bytes from which an item that came from a worker goes
// into InferInput by name.
const HeldFrom = 1 << 10

// HeldItem names an item by its digest: a JSON string in place of the object.
// A worker that does not hold the item asks the run for it.
func HeldItem(digest string) json.RawMessage { return json.RawMessage(`"` + digest + `"`) }

// namedItem tells whether an item of an input is a name, and which.
func namedItem(it json.RawMessage) (digest string, is bool) {
	if len(it) < 2 || it[0] != '"' {
		return "", false
	}
	return string(it[1 : len(it)-1]), true
}

// hold keeps the output of a call as the item that it will be in the
// conversation, for the inference that comes next.
func (a *Activities) hold(call tools.Call, outcome tools.Outcome) {
	it := item.Output(item.TypeFunctionCallOutput, call.ID, outcome.Output)
	if len(it) >= HeldFrom {
		a.held.items.put(Digest(it), it, len(it)+itemOverhead)
	}
}

// unnamed are the items of an input with names replaced, up to the first that
// is not held here. c is what is held of the conversation.
func (a *Activities) unnamed(c conversation, in InferInput) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(in.Items))
	for i, it := range in.Items {
		if digest, is := namedItem(it); is {
			var found bool
			if it, found = a.find(c, in.From+i, digest); !found {
				break
			}
		}
		items = append(items, it)
	}
	return items
}

func (a *Activities) find(c conversation, at int, digest string) (json.RawMessage, bool) {
	if at < len(c.items) && Digest(c.items[at]) == digest {
		return c.items[at], true
	}
	return a.held.items.get(digest)
}
