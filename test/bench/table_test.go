package bench

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// table is written to standard output: the log of a benchmark is cut after ten
// lines.
type table struct{ lines []string }

func newWriter(title string) *tabwriter.Writer {
	_, _ = fmt.Fprintf(os.Stdout, "\n%s\n\n", title)
	return tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// add appends three lines: each engine's costs, and how Errand's compare.
func (t *table) add(j job, errand, minimal cost) {
	name := fmt.Sprintf("%d\t%d B\t%s", j.Calls, j.Size, effects[j.Tool])
	t.lines = append(t.lines, name+"\terrand\t"+errand.line(), "\t\t\tminimal\t"+minimal.line(),
		fmt.Sprintf("\t\t\t\t%+.0f\t%+.1f\t%+.0f\t%.2f×\t%.2f×\t%.2f×\t%.2f×\t",
			errand.least-minimal.least, errand.slope-minimal.slope, errand.events-minimal.events,
			errand.bytes/minimal.bytes, errand.longer/minimal.longer, errand.ms/minimal.ms, errand.wholeMs/minimal.wholeMs))
}

func (c cost) line() string {
	return fmt.Sprintf("%.0f\t%.1f\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t", c.least, c.slope, c.events, c.bytes, c.longer, c.ms, c.wholeMs)
}

func (t *table) print() {
	if len(t.lines) == 0 {
		return
	}
	w := newWriter(fmt.Sprintf("Errand beside a hand-written workflow: runs of %d rounds, %d of each, in turn", rounds, timed))
	_, _ = fmt.Fprintf(w, "calls\tresult\teffect\tengine\tevents/round\tslope\tevents/run\tbytes\tbytes, %d rounds\tms/round\tms/run\t\n", many)
	for _, line := range t.lines {
		_, _ = io.WriteString(w, line+"\n")
	}
	_ = w.Flush()
}
