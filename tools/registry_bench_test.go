package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"errand/tools"
)

// BenchmarkRegistry builds the registry of a run with 500 tools from their
// declarations.
func BenchmarkRegistry(b *testing.B) {
	var declared []json.RawMessage
	for i := range 500 {
		declared = append(declared, json.RawMessage(fmt.Sprintf(
			`{"type":"function","name":"tool.%d","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}`, i)))
	}
	raw, err := json.Marshal(declared)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var faults tools.Faults
		var entries []tools.Entry
		for _, d := range tools.ParseDeclarations(raw, &faults) {
			entries = append(entries, tools.Entry{Path: d.Path, Descriptor: tools.ClientDescriptor(d)})
		}
		r, _, clashes := tools.NewRegistry(entries, tools.DuplicatesError)
		if len(faults)+len(clashes) > 0 || r.Shown() != 500 {
			b.Fatal(faults, clashes)
		}
	}
}
