package activities

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/schema"
)

// FuzzArguments takes a model's text through all that is done to arguments
// before a call runs: no panic, and what passes is a JSON object that the
// schema allows.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, ``, `{"n":"5","l":"[1]"}`, `"{\"n\":1}"`, `{"n":1}x`, `[`, `{"n":null}`} {
		f.Add(seed)
	}
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0)})
	require.NoError(f, err)
	parameters := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"number"}},"b":{"type":["boolean","null"]}},"additionalProperties":false}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, fault := a.arguments(t.Context(), PreparedCall{
			Call: tools.Call{Tool: "t", Arguments: text}, Descriptor: tools.Descriptor{ModelName: "t", Name: "t", Parameters: parameters},
		}, schema.NewBudget(t.Context()))
		if fault != nil {
			if fault.Output == "" {
				t.Fatal("a refusal without a reason")
			}
			return
		}
		if _, ok := tools.Object(got); !ok {
			t.Fatalf("%q became %q", text, got)
		}
		s, err := a.caches.schemas.Get(parameters)
		if err != nil || len(s.Check(got)) > 0 {
			t.Fatalf("%q became %q, which does not fit", text, got)
		}
	})
}
