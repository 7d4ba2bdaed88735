package activities

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// HeldFrom is the size in bytes from which an item that came from a worker goes
// into InferInput by name. A name takes a third of it.
const HeldFrom = 100

// nameLength is how much of an item's digest is its name. The digest of the
// whole conversation finds out where two items have the same.
const nameLength = 12

// HeldName is what an item goes by.
func HeldName(it json.RawMessage) string { return Digest(it)[:nameLength] }

// HeldItem is a name as it stands in an input: a JSON string in place of the
// object. A worker that does not hold the item asks the run for it.
func HeldItem(name string) json.RawMessage { return json.RawMessage(`"` + name + `"`) }

// namedItem tells whether an item of an input is a name, and which.
func namedItem(it json.RawMessage) (name string, is bool) {
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
		a.held.items.put(HeldName(it), it, len(it)+itemOverhead)
	}
}

// unnamed are the items of an input with names replaced, up to the first that
// is not held here. c is what is held of the conversation.
func (a *Activities) unnamed(c conversation, in InferInput) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(in.Items))
	for i, it := range in.Items {
		if name, is := namedItem(it); is {
			var found bool
			if it, found = a.find(c, in.From+i, name); !found {
				break
			}
		}
		items = append(items, it)
	}
	return items
}

func (a *Activities) find(c conversation, at int, name string) (json.RawMessage, bool) {
	if at < len(c.items) && HeldName(c.items[at]) == name {
		return c.items[at], true
	}
	return a.held.items.get(name)
}
