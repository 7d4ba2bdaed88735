package openaimodel

import (
	"encoding/json"

	"errand/tools/item"
)

// item is the item as its last event gave it, or else put together from its
// pieces.
func (s *slot) item(status string) json.RawMessage {
	if s.done != nil {
		return s.done
	}
	all, _ := members(s.added)
	all = filled(all, "type", encode(s.kind))
	switch s.kind {
	case item.TypeFunctionCall:
		all = filled(all, "name", encode(s.name))
		if !s.arguments.empty() {
			all = replaced(all, "arguments", s.arguments.raw())
		}
		all = replaced(all, "arguments", encode(argumentText(valueOf(all, "arguments"))))
	case item.TypeMessage:
		all = filled(all, "role", encode("assistant"))
		all = s.withParts(all, listContent)
	case item.TypeReasoning:
		all = s.withParts(s.withParts(all, listSummary), listContent)
	}
	all = replaced(all, "status", encode(status))
	var written object
	for _, m := range all {
		written.raw(m.key, m.value)
	}
	return written.bytes()
}

func valueOf(all []member, key string) json.RawMessage {
	for _, m := range all {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// replaced gives a member a value, in its old place if it has one.
func replaced(all []member, key string, value json.RawMessage) []member {
	for i := range all {
		if all[i].key == key {
			all[i].value = value
			return all
		}
	}
	return append(all, member{key, value})
}

// filled gives a member a value unless it has one.
func filled(all []member, key string, value json.RawMessage) []member {
	if given := valueOf(all, key); !absent(given) && string(given) != `""` {
		return all
	}
	return replaced(all, key, value)
}
