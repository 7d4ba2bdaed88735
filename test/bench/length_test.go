package bench

import (
	"fmt"
	"os"
	"testing"
)

// onceBytes is what a run may cost once, however short it is: the descriptors of
// its tools, its memo, and the frame of its result.
const onceBytes = 1 << 10

// lengths are runs from the shortest to those that peers cannot finish.
var lengths = []job{
	{Rounds: 1, Calls: 2, Size: 200, Tool: toolRead},
	{Rounds: 10, Calls: 3, Size: 200, Tool: toolRead},
	{Rounds: 100, Calls: 1, Size: 4000, Tool: toolRead},
	{Rounds: 100, Calls: 1, Size: 20000, Tool: toolRead},
}

// BenchmarkLength compares runs of every length with Lean, which sends nothing
// of the conversation, and with Minimal, which sends all of it. Minimal is
// shown only: a run that it cannot finish is shown as such.
func BenchmarkLength(b *testing.B) {
	s := newStage(b)
	w := newWriter("Errand beside a loop that sends nothing of the conversation (lean) and one that sends all of it (minimal)")
	_, _ = fmt.Fprintln(w, "rounds\tcalls\tresult\tengine\tevents\thistory bytes\tms/round\t")
	for _, j := range lengths {
		b.Run(fmt.Sprintf("rounds=%d/calls=%d/result=%d", j.Rounds, j.Calls, j.Size), func(b *testing.B) {
			errand, lean, minimal := s.lengths(b, j)
			for _, line := range []struct {
				name string
				of   samples
			}{{"errand", errand}, {"lean", lean}, {"minimal", minimal}} {
				_, _ = fmt.Fprintf(w, "%d\t%d\t%d B\t%s\t%s\t\n", j.Rounds, j.Calls, j.Size, line.name, line.of.line())
			}
			size := func(s sample) float64 { return s.bytes }
			bytes, time := errand.median(size)/lean.median(size), errand.round()/lean.round()
			most := moreBytes*lean.median(size) + onceBytes
			_, _ = fmt.Fprintf(w, "\t\t\t\t\t%.2f× lean\t%.2f× lean\t\n", bytes, time)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(bytes, "bytes-ratio")
			b.ReportMetric(time, "time-ratio")
			if errand.median(size) > most {
				b.Errorf("%.2f times the history of a loop that sends no conversation: at most %.2f times and %d bytes are allowed", bytes, moreBytes, onceBytes)
			}
			if time > moreTime {
				b.Errorf("a round takes %.2f times as long as one of a loop that sends no conversation: at most %.2f times are allowed", time, moreTime)
			}
		})
	}
	_ = w.Flush()
}

// lengths takes samples of the three engines in turn, more of the short runs.
func (s *stage) lengths(b *testing.B, j job) (errand, lean, minimal samples) {
	b.Helper()
	n := max(3, 40/j.Rounds)
	for look := 0; ; look++ {
		for range n {
			errand = append(errand, s.sample(b, s.errand, j))
			lean = append(lean, s.sample(b, s.lean, j))
		}
		if look == looks || errand.round() <= moreTime*lean.round() {
			break
		}
	}
	if j.Rounds*j.Rounds*j.Calls*j.Size/2 < serverLimit {
		minimal = append(minimal, s.sample(b, s.minimal, j))
	}
	return errand, lean, minimal
}

// serverLimit is the size at which a server ends a run: a history of Minimal's
// that is larger is not tried.
const serverLimit = 50 << 20

func (all samples) line() string {
	if len(all) == 0 {
		return "—\tover the server's limit\t—"
	}
	return fmt.Sprintf("%.0f\t%.0f\t%.1f", all.median(func(s sample) float64 { return s.events }),
		all.median(func(s sample) float64 { return s.bytes }), all.round())
}

const (
	throughputRuns = 200
	concurrency    = 20
)

// BenchmarkThroughput counts the runs that end in a second when many are under
// way.
func BenchmarkThroughput(b *testing.B) {
	s := newStage(b)
	j := job{Rounds: 2, Calls: 2, Size: 200, Tool: toolRead}
	s.rate(b, s.errand, j, concurrency) // warms up
	errand, lean := s.rate(b, s.errand, j, throughputRuns), s.rate(b, s.lean, j, throughputRuns)
	for range looks {
		if errand*moreTime >= lean {
			break
		}
		errand, lean = max(errand, s.rate(b, s.errand, j, throughputRuns)), max(lean, s.rate(b, s.lean, j, throughputRuns))
	}
	_, _ = fmt.Fprintf(os.Stdout, "\n%d runs of 2 rounds, 2 calls each, %d at once: errand %.1f runs/s, lean %.1f runs/s (%.2f×)\n",
		throughputRuns, concurrency, errand, lean, lean/errand)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(errand, "errand-runs/s")
	b.ReportMetric(lean, "lean-runs/s")
	if errand*moreTime < lean {
		b.Errorf("a loop that sends no conversation ends %.2f times as many runs a second: at most %.2f times are allowed", lean/errand, moreTime)
	}
}
