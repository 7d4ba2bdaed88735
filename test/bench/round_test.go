package bench

import (
	"fmt"
	"slices"
	"testing"
)

// What Errand may cost beside Minimal. Absolute times say nothing: they are
// those of the machine.
const (
	moreEvents = 1    // a round: the marker of prepare
	moreBytes  = 1.5  // times, of a whole history
	moreTime   = 1.25 // times, of a round
	// markTime is that of a round of once calls: before it touches its tool each
	// waits until the server has taken its mark. Minimal repeats them instead.
	markTime = 1.5
)

// mostTime is how many times as long as Minimal's a round may take.
func (j job) mostTime() float64 {
	if j.Tool == toolOnce {
		return markTime
	}
	return moreTime
}

const (
	rounds = 10
	// few and many are the lengths between which the slope is taken.
	few, many = 5, 20
	// timed runs of each engine have their rounds timed; counted ones of every
	// other length have their histories measured.
	timed, counted = 24, 4
	// looks are how often a time that is too long is taken again, so that a
	// busy moment of the machine is told from a slow product.
	looks = 2
)

var cases = []job{
	{Calls: 1, Size: 200, Tool: toolRead},
	{Calls: 3, Size: 200, Tool: toolRead},
	{Calls: 1, Size: 4096, Tool: toolRead},
	{Calls: 3, Size: 4096, Tool: toolRead},
	{Calls: 1, Size: 200, Tool: toolOnce},
	{Calls: 3, Size: 200, Tool: toolOnce},
}

func (j job) of(rounds int) job {
	j.Rounds = rounds
	return j
}

// cost is what a round, and a run, cost one engine.
type cost struct {
	least  float64 // events of the round that had the fewest
	slope  float64 // events that one more round adds to a run
	events float64 // of a run
	bytes  float64 // of a run's history
	single float64 // the same, of a run of one round
	longer float64 // the same, of a run of many rounds
	ms     float64 // a round
	runMs  float64 // a run
}

func BenchmarkRound(b *testing.B) {
	s := newStage(b)
	var t table
	for _, j := range cases {
		b.Run(fmt.Sprintf("calls=%d/result=%d/effect=%s", j.Calls, j.Size, effects[j.Tool]), func(b *testing.B) {
			errand, minimal := s.compare(b, j)
			t.add(j, errand, minimal)
			check(b, errand, minimal, j.mostTime())
			report(b, errand, minimal)
		})
	}
	t.print()
}

// compare takes the costs of both engines for the same job.
func (s *stage) compare(b *testing.B, j job) (errand, minimal cost) {
	b.Helper()
	s.take(b, j.of(rounds), 2) // warms up
	main := s.take(b, j.of(rounds), timed)
	for range looks {
		if main.errand.round() <= j.mostTime()*main.minimal.round() {
			break
		}
		main = main.with(s.take(b, j.of(rounds), timed))
	}
	single, short, long := s.take(b, j.of(1), counted), s.take(b, j.of(few), counted), s.take(b, j.of(many), counted)
	return costOf(main.errand, single.errand, short.errand, long.errand),
		costOf(main.minimal, single.minimal, short.minimal, long.minimal)
}

func costOf(main, single, short, long samples) cost {
	events := func(s sample) float64 { return s.events }
	bytes := func(s sample) float64 { return s.bytes }
	return cost{
		least:  slices.Min(main.pool(func(s sample) []float64 { return s.between })),
		slope:  (long.median(events) - short.median(events)) / (many - few),
		events: main.median(events),
		bytes:  main.median(bytes),
		single: single.median(bytes),
		longer: long.median(bytes),
		ms:     main.round(),
		runMs:  main.median(func(s sample) float64 { return s.whole }),
	}
}

func check(b *testing.B, errand, minimal cost, mostTime float64) {
	b.Helper()
	if more := errand.least - minimal.least; more > moreEvents {
		b.Errorf("a round has %.0f events more than Minimal's %.0f: at most %d more are allowed", more, minimal.least, moreEvents)
	}
	if ratio := errand.bytes / minimal.bytes; ratio > moreBytes {
		b.Errorf("a run of %d rounds has %.2f times Minimal's history: at most %.2f times are allowed", rounds, ratio, moreBytes)
	}
	if ratio := errand.ms / minimal.ms; ratio > mostTime {
		b.Errorf("a round takes %.2f times as long as Minimal's: at most %.2f times are allowed", ratio, mostTime)
	}
}

func report(b *testing.B, errand, minimal cost) {
	b.Helper()
	b.ReportMetric(0, "ns/op") // of the whole comparison: nothing to compare with
	b.ReportMetric(errand.slope, "errand-events/round")
	b.ReportMetric(minimal.slope, "minimal-events/round")
	b.ReportMetric(errand.bytes, "errand-history-bytes")
	b.ReportMetric(minimal.bytes, "minimal-history-bytes")
	b.ReportMetric(errand.ms, "errand-ms/round")
	b.ReportMetric(minimal.ms, "minimal-ms/round")
	b.ReportMetric(errand.bytes/minimal.bytes, "bytes-ratio")
	b.ReportMetric(errand.ms/minimal.ms, "time-ratio")
}
