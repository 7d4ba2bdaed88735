package crash

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// board has a row for each sweep, in the order in which they began.
var board scores

type scores struct {
	mu     sync.Mutex
	rows   []*row
	played atomic.Int64
}

// progressEvery is after how many runs a whole sweep says that it goes on.
const progressEvery = 100

// count notes that a run has been played.
func (s *scores) count() {
	if n := s.played.Add(1); *full && n%progressEvery == 0 {
		_, _ = fmt.Fprintf(os.Stdout, "%s  %d runs played\n", time.Now().Format(time.TimeOnly), n)
	}
}

// row counts what one sweep did.
type row struct {
	mu    sync.Mutex
	title string
	// planted rows are meant to have violations.
	planted bool
	// tried counts the trials, reached those whose moment came before the run
	// had ended.
	tried, reached int
	// unknown counts the once calls whose outcome was lost, repeated the
	// effects that arrived more than once.
	unknown, repeated int
	held              int
	violations        []string
	began             time.Time
	took              time.Duration
}

func (s *scores) row(title string) *row {
	r := &row{title: title, began: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows, r)
	return r
}

// add counts a trial that is over.
func (r *row) add(tr *trial) {
	board.count()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried++
	if tr.reached {
		r.reached++
	}
	r.unknown += tr.unknown
	r.repeated += tr.repeated
	if len(tr.violations) == 0 {
		r.held++
	}
	for _, v := range tr.violations {
		r.violations = append(r.violations, v.String())
	}
	r.took = time.Since(r.began)
}

func (s *scores) print(out io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(out, "\nA run of %d events (%d to %d in the trials that ended well), killed and cut off in every way\n\n",
		referenceEvents(), shortest.Load(), longest.Load())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "scenario\ttried\treached\theld\tviolations\trepeated\tunknown\ttook\t")
	for _, r := range s.rows {
		verdict := fmt.Sprint(len(r.violations))
		if r.planted {
			verdict += " (planted)"
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%d\t%d\t%s\t\n", r.title, r.tried, r.reached, r.held,
			verdict, r.repeated, r.unknown, r.took.Round(time.Second))
	}
	_ = w.Flush()
	for _, r := range s.rows {
		for _, v := range r.violations {
			if !r.planted {
				_, _ = fmt.Fprintf(out, "violated: %s: %s\n", r.title, v)
			}
		}
	}
}
