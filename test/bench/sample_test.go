package bench

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
)

// patience bounds every wait: long enough for two busy cores.
const patience = time.Minute

// sample is what one run cost.
type sample struct {
	events  float64   // in its whole history
	bytes   float64   // of its whole history, as the server counts them
	whole   float64   // ms from started to closed, by the server's clock
	apart   []float64 // ms from each inference to the next
	between []float64 // events from each inference to the next
}

// samples are those of one engine doing one job.
type samples []sample

func (all samples) median(of func(sample) float64) float64 {
	var values []float64
	for _, s := range all {
		values = append(values, of(s))
	}
	return median(values)
}

// pool joins what was taken of the rounds of all runs.
func (all samples) pool(of func(sample) []float64) []float64 {
	var values []float64
	for _, s := range all {
		values = append(values, of(s)...)
	}
	return values
}

// round is how long one takes: the median of all rounds of all runs, in ms.
func (all samples) round() float64 {
	return median(all.pool(func(s sample) []float64 { return s.apart }))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// pair holds the samples of both engines.
type pair struct{ errand, minimal samples }

func (p pair) with(more pair) pair {
	return pair{append(p.errand, more.errand...), append(p.minimal, more.minimal...)}
}

// take runs the job n times on each engine, in turn, so that noise hits both;
// neither is always the first.
func (s *stage) take(b *testing.B, j job, n int) pair {
	b.Helper()
	var p pair
	for i := range n {
		if i%2 == 0 {
			p.errand = append(p.errand, s.sample(b, s.errand, j))
		}
		p.minimal = append(p.minimal, s.sample(b, s.minimal, j))
		if i%2 == 1 {
			p.errand = append(p.errand, s.sample(b, s.errand, j))
		}
	}
	return p
}

var started atomic.Int64

// newID is a workflow id that this process has not used.
func newID(e engine) string { return fmt.Sprintf("bench-%s-%d", e.name, started.Add(1)) }

// sample does the job once.
func (s *stage) sample(b *testing.B, e engine, j job) sample {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	id := newID(e)
	require.NoError(b, e.start(ctx, id, j))
	events, err := s.finish(ctx, id)
	require.NoError(b, err)
	described, err := s.client.DescribeWorkflow(ctx, id, "")
	require.NoError(b, err)
	info := described.RawResponse.GetWorkflowExecutionInfo()
	taken := sample{
		events: float64(info.GetHistoryLength()), bytes: float64(info.GetHistorySizeBytes()),
		whole: ms(info.GetCloseTime().AsTime().Sub(info.GetStartTime().AsTime())),
	}
	times := s.script.times(id)
	require.Len(b, times, j.Rounds+1, "an inference was repeated")
	for i, at := range times[1:] {
		taken.apart = append(taken.apart, ms(at.Sub(times[i])))
	}
	asked := inferences(events)
	require.Len(b, asked, j.Rounds+1)
	for i, at := range asked[1:] {
		taken.between = append(taken.between, float64(at-asked[i]))
	}
	return taken
}

// inferences are the places in a history where one is scheduled.
func inferences(events []*history.HistoryEvent) []int {
	var places []int
	for i, e := range events {
		if name := e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName(); name == "Infer" || name == "InferLean" {
			places = append(places, i)
		}
	}
	return places
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
