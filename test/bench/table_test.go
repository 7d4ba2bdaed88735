package bench

import (
	"fmt"
	"os"
	"strings"
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
	t.lines = append(t.lines,
		fmt.Sprintf("%d\t%d B\t%s\terrand\t%s", j.Calls, j.Size, effects[j.Tool], errand.line()),
		"\t\t\tminimal\t"+minimal.line(),
		fmt.Sprintf("\t\t\t\t%+.0f\t%+.1f\t%+.0f\t%.2f×\t%.2f×\t%.2f×\t%.2f×\t%.2f×\t",
			errand.least-minimal.least, errand.slope-minimal.slope, errand.events-minimal.events,
			errand.single/minimal.single, errand.bytes/minimal.bytes, errand.longer/minimal.longer,
			errand.ms/minimal.ms, errand.runMs/minimal.runMs))
}

func (c cost) line() string {
	return fmt.Sprintf("%.0f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t",
		c.least, c.slope, c.events, c.single, c.bytes, c.longer, c.ms, c.runMs)
}

func (t *table) print() {
	if len(t.lines) == 0 {
		return
	}
	w := newWriter(fmt.Sprintf("Errand beside a hand-written workflow: runs of %d rounds unless it says otherwise, in turn", rounds))
	lines := append([]string{
		fmt.Sprintf("calls\tresult\teffect\tengine\tevents/round\tslope\tevents/run\tbytes: 1 round\t%d rounds\t%d rounds\tms/round\tms/run\t", rounds, many),
	}, t.lines...)
	_, _ = fmt.Fprintln(w, strings.Join(lines, "\n"))
	_ = w.Flush()
}
