package bench

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

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
		return tools.Output{Content: "done"}, takeTime(ctx)
	}
	return t
}

func takeTime(ctx context.Context) error {
	timer := time.NewTimer(slowTakes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// BenchmarkWindow runs 128 calls of 100 ms through a window of 16, beside the
// time that they would take if nothing else cost any, and beside a bare
// workflow that has such a window and nothing else: that is what this machine,
// with whatever else it does, can reach.
func BenchmarkWindow(b *testing.B) {
	s := newStage(b)
	j := job{Rounds: 1, Calls: slowCalls, Tool: toolSlow, Window: slowWindow}
	ideal := ms(slowTakes) * slowCalls / slowWindow
	var took, bare []float64
	for range 5 { // in turns, so that noise hits both
		took = append(took, s.window(b, j))
		bare = append(bare, s.bareWindow(b))
	}
	// The fastest says most: whatever else the machine does only adds to it.
	ratio, reached := slices.Min(took)/ideal, slices.Min(bare)/ideal
	fmt.Printf("\n%d calls of %s, %d at once, ideal %.0f ms (aim %.2f×), %d times:\n", slowCalls, slowTakes, slowWindow, ideal, slowAim, len(took))
	fmt.Printf("  errand        fastest %5.0f ms %.2f×, median %5.0f ms %.2f×\n", slices.Min(took), ratio, median(took), median(took)/ideal)
	fmt.Printf("  bare workflow fastest %5.0f ms %.2f×, median %5.0f ms %.2f×\n", slices.Min(bare), reached, median(bare), median(bare)/ideal)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratio, "window-ratio")
	b.ReportMetric(ratio/reached, "window-to-bare")
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

// bareWindow takes from the first call to the end of the workflow.
func (s *stage) bareWindow(b *testing.B) float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	id := newID(s.minimal)
	_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: b.Name() + "-minimal"}, BareWindow, slowCalls, slowWindow)
	require.NoError(b, err)
	events, err := s.finish(ctx, id)
	require.NoError(b, err)
	first := next(events, 0, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
	return ms(events[len(events)-1].GetEventTime().AsTime().Sub(events[first].GetEventTime().AsTime()))
}
