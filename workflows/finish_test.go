package workflows

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
)

func TestResultFitsWhateverFillsIt(t *testing.T) {
	t.Parallel()
	wild := strings.Repeat("<\x01&", 300)
	full := func() *Result {
		r := &Result{Status: Completed, Model: strings.Repeat("<", 200), OutputText: strings.Repeat("\x01", 1<<20)}
		for range 200 {
			r.Run.Warnings = append(r.Run.Warnings, wild)
		}
		for range 400 {
			r.Run.Traces = append(r.Run.Traces, tools.Trace{ToolCallID: wild, Tool: wild, Error: wild})
			r.Run.Changes = append(r.Run.Changes, tools.Change{Resource: wild, Detail: wild})
			r.Output = append(r.Output, item.Message("assistant", wild))
		}
		r.Metadata = json.RawMessage(`{"a":"` + strings.Repeat("m", maxMetadata) + `"}`)
		r.Tools = json.RawMessage(`["` + strings.Repeat("<", 1<<20) + `"]`)
		return r
	}
	for name, change := range map[string]func(*Result){
		"everything":    func(*Result) {},
		"no items":      func(r *Result) { r.Output = nil },
		"only warnings": func(r *Result) { r.Output, r.Run.Traces, r.Run.Changes, r.Tools = nil, nil, nil, nil },
		"a long text":   func(r *Result) { *r = Result{OutputText: strings.Repeat("a", 4<<20)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := full()
			change(r)
			items, traces := len(r.Output), len(r.Run.Traces)
			fit(r)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			require.LessOrEqual(t, len(text), MaxResultSize)
			require.Equal(t, items, len(r.Output)+r.Run.ItemsLeftOut)
			require.Equal(t, traces, len(r.Run.Traces)+r.Run.TracesLeftOut)
		})
	}
}

func TestSmallResultStaysWhole(t *testing.T) {
	t.Parallel()
	r := &Result{OutputText: "hi", Output: []json.RawMessage{item.Message("assistant", "hi")}, Metadata: json.RawMessage(`{}`)}
	fit(r)
	require.Len(t, r.Output, 1)
	require.Equal(t, "hi", r.OutputText)
	require.NotNil(t, r.Metadata)
}
