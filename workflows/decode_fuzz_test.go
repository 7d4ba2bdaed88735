package workflows_test

import (
	"encoding/json"
	"testing"

	"errand/workflows/contract"
)

// FuzzDecodeRequest: no input panics, what is taken can be run, and what is
// refused says why.
func FuzzDecodeRequest(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"model":"m","input":"x"}`, replaceVerb(everyType, ""),
		`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call_output","call_id":"c","output":"x"}]}`,
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[1]}}`,
		`{"model":"m","input":"x","run":{"tool_timeout":"1s","max_rounds":1,"text_calls":true}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, faults := contract.DecodeRequest(raw)
		for _, fault := range faults {
			if fault.Message == "" {
				t.Fatalf("%q: a fault without a message", raw)
			}
		}
		if len(faults) > 0 {
			return
		}
		if r.Model == "" || len(r.Input) == 0 || r.Run.MaxRounds < 1 {
			t.Fatalf("%q was taken as %+v", raw, r)
		}
		for _, it := range r.Input {
			if !json.Valid(it) {
				t.Fatalf("%q: an item is not JSON: %q", raw, it)
			}
		}
	})
}
