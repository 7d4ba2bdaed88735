package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"errand/tools"
	"errand/worker"
)

const (
	slowTakes  = 100 * time.Millisecond
	slowWindow = 16
	slowCalls  = 128
	// slowAim is how much longer than the ideal a batch should take at most. It
	// is printed, not judged: each of the eight waves costs a workflow task and
	// sixteen polls, and two busy cores need more for them.
	slowAim = 1.3
)

// slow is a tool that takes its time and no processor.
func slow() worker.Tool {
	t := tool(toolSlow)
	t.Execute = func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
		timer := time.NewTimer(slowTakes)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return tools.Output{Content: "done"}, ctx.Err()
	}
	return t
}

// BenchmarkWindow runs 128 calls of 100 ms through a window of 16, beside the
// time that they would take if nothing else cost any.
func BenchmarkWindow(b *testing.B) {
	s := newStage(b)
	j := job{Rounds: 1, Calls: slowCalls, Tool: toolSlow, Window: slowWindow}
	ideal := ms(slowTakes) * slowCalls / slowWindow
	var took []float64
	for range 5 {
		took = append(took, s.window(b, j))
	}
	// The fastest says most: whatever else the machine does only adds to it.
	ratio := slices.Min(took) / ideal
	fmt.Printf("\n%d calls of %s, %d at once, %d times: fastest %.0f ms, median %.0f ms, ideal %.0f ms: %.2f×, %.2f× (aim %.2f×)\n",
		slowCalls, slowTakes, slowWindow, len(took), slices.Min(took), median(took), ideal, ratio, median(took)/ideal, slowAim)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratio, "window-ratio")
}

func (s *stage) window(b *testing.B, j job) float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	id := newID(s.errand)
	require.NoError(b, s.errand.start(ctx, id, j))
	events, err := s.finish(ctx, id)
	require.NoError(b, err)
	asked := inferences(events)
	require.Len(b, asked, 2)
	first := next(events, asked[0]+2, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
	return ms(events[asked[1]].GetEventTime().AsTime().Sub(events[first].GetEventTime().AsTime()))
}
