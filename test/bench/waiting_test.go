package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"

	"errand/test/harness"
)

const (
	// waitingRuns wait for a client at the same time.
	waitingRuns = 1000
	// startersAtOnce start them.
	startersAtOnce = 16
	// woken is how many of them are answered after they were evicted.
	woken = 20
	// spareRoutines is what a worker has now and then: pollers that come and go,
	// connections.
	spareRoutines = 100
)

// weight is what this process holds.
type weight struct {
	routines int
	heap     uint64
}

func weigh() weight {
	runtime.GC()
	runtime.GC() // what the first one finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return weight{runtime.NumGoroutine(), m.HeapAlloc}
}

// BenchmarkWaitingRuns shows what runs cost a worker that wait for a client:
// a place in the cache, and nothing once they are evicted from it.
func BenchmarkWaitingRuns(b *testing.B) {
	s := newStage(b)
	ctx, cancel := context.WithTimeout(b.Context(), 4*patience)
	defer cancel()
	j := job{Rounds: 1, Calls: 1, Size: 200, Tool: toolAsk}
	warm := s.errandWaiter(ctx)
	require.NoError(b, warm.start(ctx, warm.id, j))
	s.opens(b, warm)
	sdkworker.PurgeStickyWorkflowCache()
	before := s.settled(b, 0)

	all := make([]*waiter, waitingRuns)
	var starters sync.WaitGroup
	for first := range startersAtOnce {
		starters.Go(func() {
			for i := first; i < waitingRuns; i += startersAtOnce {
				all[i] = s.errandWaiter(ctx)
				if err := all[i].start(ctx, all[i].id, j); err != nil {
					b.Error(err)
				}
			}
		})
	}
	starters.Wait()
	for _, w := range all {
		s.opens(b, w)
	}
	cached := weigh()
	sdkworker.PurgeStickyWorkflowCache()
	evicted := s.settled(b, before.routines+spareRoutines)

	for _, w := range all[:woken] {
		name, payload := w.update("call_1_0", content(200))
		require.NoError(b, s.send(ctx, w.id, name, payload))
		_, err := s.finish(ctx, w.id)
		require.NoError(b, err)
	}
	out := newWriter(fmt.Sprintf("%d runs that wait for a client, in one worker; %d of them went on after they were evicted", waitingRuns, woken))
	_, _ = fmt.Fprintln(out, "\tgoroutines\theap MiB\tKiB a run\t")
	for _, row := range []struct {
		name string
		weight
	}{{"before", before}, {"in the cache", cached}, {"evicted", evicted}} {
		_, _ = fmt.Fprintf(out, "%s\t%d\t%.1f\t%.1f\t\n", row.name, row.routines, float64(row.heap)/(1<<20),
			(float64(row.heap)-float64(before.heap))/waitingRuns/(1<<10))
	}
	_ = out.Flush()
	b.ReportMetric(float64(evicted.routines-before.routines)/waitingRuns, "goroutines/waiting-run")
	b.ReportMetric((float64(evicted.heap)-float64(before.heap))/waitingRuns, "B/waiting-run")
	b.ReportMetric(0, "ns/op")
	require.LessOrEqual(b, evicted.routines, before.routines+spareRoutines, "goroutines of evicted runs are left")
}

// opens waits until the run waits for its client.
func (s *stage) opens(b *testing.B, w *waiter) {
	b.Helper()
	harness.Eventually(b, patience, func() (bool, string) {
		open, err := w.open()
		return open == "call_1_0", fmt.Sprint(open, err)
	}, w.id+" waits for its client")
}

// settled weighs once the goroutines are down to some number, or at once for 0.
func (s *stage) settled(b *testing.B, routines int) weight {
	b.Helper()
	harness.Eventually(b, patience, func() (bool, string) {
		n := runtime.NumGoroutine()
		return routines == 0 || n <= routines, fmt.Sprint(n)
	}, "the evicted runs have ended their goroutines")
	return weigh()
}
