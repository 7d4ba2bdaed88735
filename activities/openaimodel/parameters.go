package openaimodel

import (
	"encoding/json"
	"slices"
)

// noParameters is the schema of a tool that takes nothing. Servers reject an
// absent one, null and {}.
const noParameters = `{"type":"object","properties":{}}`

// parameters completes a schema to what every server accepts: an object with a
// type and properties. A complete one is returned as it is; of an incomplete
// one all keys stay.
func parameters(schema json.RawMessage) json.RawMessage {
	all, err := members(schema)
	if err != nil || len(all) == 0 {
		return json.RawMessage(noParameters)
	}
	all = slices.DeleteFunc(all, func(m member) bool {
		return (m.key == "type" || m.key == "properties") && absent(m.value)
	})
	hasType := slices.ContainsFunc(all, func(m member) bool { return m.key == "type" })
	hasProperties := slices.ContainsFunc(all, func(m member) bool { return m.key == "properties" })
	if hasType && hasProperties {
		return schema
	}
	var completed object
	if !hasType {
		completed.raw("type", []byte(`"object"`))
	}
	for _, m := range all {
		completed.raw(m.key, m.value)
	}
	if !hasProperties {
		completed.raw("properties", []byte(`{}`))
	}
	return completed.bytes()
}
