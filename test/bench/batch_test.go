package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"errand/workflows/contract"
)

// large is how many runs of each engine have one batch as large as a run takes.
const large = 7

// largeBatch is what one batch of MaxBatch calls cost, from the answer that
// asked for it.
type largeBatch struct {
	prepared float64 // ms until its first call was scheduled
	settled  float64 // ms until the next inference was scheduled
	marker   float64 // bytes of the event that records its preparing
	bytes    float64 // of the whole history
	events   float64
}

func BenchmarkLargeBatch(b *testing.B) {
	s := newStage(b)
	j := job{Rounds: 1, Calls: contract.MaxBatch, Size: 200, Tool: toolRead, Window: contract.MaxParallelCalls}
	var errand, minimal []largeBatch
	for range large + 1 { // the first warms up
		errand = append(errand, s.largeBatch(b, s.errand, j))
		minimal = append(minimal, s.largeBatch(b, s.minimal, j))
	}
	e, m := middle(errand[1:]), middle(minimal[1:])
	out := newWriter(fmt.Sprintf("One batch of %d calls, up to %d at once (minimal: all): median of %d, in turn", j.Calls, j.Window, large))
	_, _ = fmt.Fprintln(out, "engine\tprepared, ms\tsettled, ms\tmarker, bytes\tevents\thistory, bytes\t")
	_, _ = fmt.Fprintf(out, "errand\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", e.prepared, e.settled, e.marker, e.events, e.bytes)
	_, _ = fmt.Fprintf(out, "minimal\t%.1f\t%.0f\t\t%.0f\t%.0f\t\n", m.prepared, m.settled, m.events, m.bytes)
	_, _ = fmt.Fprintf(out, "\t%.2f×\t%.2f×\t\t%+.0f\t%.2f×\t\n", e.prepared/m.prepared, e.settled/m.settled, e.events-m.events, e.bytes/m.bytes)
	_ = out.Flush()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(e.prepared, "errand-ms/prepare")
	b.ReportMetric(m.prepared, "minimal-ms/prepare")
	b.ReportMetric(e.marker, "marker-bytes")
}

// middle is the median of every field.
func middle(all []largeBatch) largeBatch {
	of := func(field func(largeBatch) float64) float64 {
		var values []float64
		for _, l := range all {
			values = append(values, field(l))
		}
		return median(values)
	}
	return largeBatch{
		prepared: of(func(l largeBatch) float64 { return l.prepared }),
		settled:  of(func(l largeBatch) float64 { return l.settled }),
		marker:   of(func(l largeBatch) float64 { return l.marker }),
		bytes:    of(func(l largeBatch) float64 { return l.bytes }),
		events:   of(func(l largeBatch) float64 { return l.events }),
	}
}

func (s *stage) largeBatch(b *testing.B, e engine, j job) largeBatch {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	id := newID(e)
	require.NoError(b, e.start(ctx, id, j))
	events, err := s.finish(ctx, id)
	require.NoError(b, err)
	asked := inferences(events)
	require.Len(b, asked, 2)
	answer := asked[0] + 2
	require.Equal(b, enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, events[answer].GetEventType())
	since := func(place int) float64 {
		return ms(events[place].GetEventTime().AsTime().Sub(events[answer].GetEventTime().AsTime()))
	}
	cost := largeBatch{settled: since(asked[1]), events: float64(len(events))}
	first := next(events, answer, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
	cost.prepared = since(first)
	for i, event := range events {
		size := float64(proto.Size(event))
		cost.bytes += size
		if i > answer && i < first && event.GetEventType() == enums.EVENT_TYPE_MARKER_RECORDED {
			cost.marker += size
		}
	}
	return cost
}

// next is the place of the first event of a type after a place.
func next(events []*history.HistoryEvent, after int, kind enums.EventType) int {
	for i := after + 1; i < len(events); i++ {
		if events[i].GetEventType() == kind {
			return i
		}
	}
	return len(events) - 1
}
