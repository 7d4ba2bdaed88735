package report

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

func TestResultFitsWhateverFillsIt(t *testing.T) {
	t.Parallel()
	wild := strings.Repeat("<\x01&", 300)
	full := func() *contract.Result {
		r := &contract.Result{Status: contract.Completed, Model: strings.Repeat("<", 200), OutputText: strings.Repeat("\x01", 1<<20)}
		for range 200 {
			r.Run.Warnings = append(r.Run.Warnings, wild)
		}
		for range 400 {
			r.Run.Traces = append(r.Run.Traces, tools.Trace{ToolCallID: wild, Tool: wild, Error: wild})
			r.Run.Changes = append(r.Run.Changes, tools.Change{Resource: wild, Detail: wild})
			r.Output = append(r.Output, item.Message("assistant", wild))
		}
		r.Metadata = json.RawMessage(`{"a":"` + strings.Repeat("m", contract.MaxMetadata) + `"}`)
		r.Tools = json.RawMessage(`["` + strings.Repeat("<", 1<<20) + `"]`)
		return r
	}
	for name, change := range map[string]func(*contract.Result){
		"everything":    func(*contract.Result) {},
		"no items":      func(r *contract.Result) { r.Output = nil },
		"only warnings": func(r *contract.Result) { r.Output, r.Run.Traces, r.Run.Changes, r.Tools = nil, nil, nil, nil },
		"a long text":   func(r *contract.Result) { *r = contract.Result{OutputText: strings.Repeat("a", 4<<20)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := full()
			change(r)
			items, traces := len(r.Output), len(r.Run.Traces)
			Fit(r, contract.MaxResultSize)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			require.LessOrEqual(t, len(text), contract.MaxResultSize)
			require.Equal(t, items, len(r.Output)+r.Run.ItemsLeftOut)
			require.Equal(t, traces, len(r.Run.Traces)+r.Run.TracesLeftOut)
		})
	}
}

func TestSmallResultStaysWhole(t *testing.T) {
	t.Parallel()
	r := &contract.Result{OutputText: "hi", Output: []json.RawMessage{item.Message("assistant", "hi")}, Metadata: json.RawMessage(`{}`)}
	Fit(r, contract.MaxResultSize)
	require.Len(t, r.Output, 1)
	require.Equal(t, "hi", r.OutputText)
	require.NotNil(t, r.Metadata)
}

// A large result is measured once and not again for every piece that is taken
// out: its workflow task must not be held up. Not parallel: it counts memory.
func TestFittingTakesTimeInProportionToTheSize(t *testing.T) {
	const size = 24 << 20
	r := &contract.Result{}
	for len(r.Output) < 2000 {
		r.Output = append(r.Output, item.Message("assistant", strings.Repeat("a", size/2000)))
	}
	for len(r.Run.Traces) < 2000 {
		r.Run.Traces = append(r.Run.Traces, tools.Trace{ToolCallID: strings.Repeat("c", 200), Tool: "t"})
	}
	before := memory()
	started := time.Now()
	Fit(r, contract.MaxResultSize)
	t.Logf("%s for %d MiB", time.Since(started), size>>20)
	require.Less(t, memory()-before, uint64(8*size))
	require.Positive(t, r.Run.ItemsLeftOut)
	require.Equal(t, 2000, len(r.Output)+r.Run.ItemsLeftOut)
}

func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestReportKeepsTheNewestItemsThatAResultCanHold(t *testing.T) {
	t.Parallel()
	var r Report
	r.Publish(item.Message("assistant", "small"))
	for i := range 40 {
		r.Publish(item.Message("assistant", strings.Repeat(string(rune('a'+i%26)), 100<<10)))
		size := 0
		for _, it := range r.Output {
			size += tools.ElementSize(it)
		}
		require.LessOrEqual(t, size, contract.MaxResultSize)
		require.Equal(t, size, r.size)
		require.Equal(t, i+2, len(r.Output)+r.LeftOut)
	}
	require.Greater(t, r.size, contract.MaxResultSize-200<<10, "as many as fit")
	r.Publish(item.Message("assistant", strings.Repeat("<", contract.MaxResultSize)))
	require.Len(t, r.Output, 1, "the newest stays, whatever its size")
	require.Equal(t, 41, r.LeftOut)
}
