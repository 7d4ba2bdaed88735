package crash

import (
	"strings"
	"sync"
	"testing"

	"errand/starter"
)

// sweep plays one trial for each moment and puts down what they violate.
type sweep struct {
	title string
	// planted sweeps are meant to find violations.
	planted bool
	// on is where a trial is played; nil: on the shared server, many at a time.
	on func(t *testing.T) *site
	// options are those of the run.
	options starter.RunOptions
	// lanes is how many are played at a time, beside the places; 0: as many as
	// there are places.
	lanes int
}

// play runs do for each moment, in a subtest of its name, and returns the row
// of the board.
func (s sweep) play(t *testing.T, moments []moment, do func(tr *trial, m moment), env ...string) *row {
	t.Helper()
	r := board.row(s.title)
	r.planted = s.planted
	queue := make(chan moment, len(moments))
	for _, m := range moments {
		queue <- m
	}
	close(queue)
	enter, leave := func() {}, func() {}
	if s.lanes == 0 {
		s.lanes = len(moments)
		enter, leave = func() { places <- struct{}{} }, func() { <-places }
	}
	var lanes sync.WaitGroup
	for range min(s.lanes, len(moments)) {
		place := sharedSite(t)
		if s.on != nil {
			place = s.on(t)
		}
		lanes.Go(func() {
			for m := range queue {
				enter()
				t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
					tr := newTrial(t, place, env...)
					tr.options = s.options
					defer r.add(tr)
					defer func() {
						if t.Failed() && len(tr.violations) == 0 {
							tr.violate(endsInTime, "the trial %s broke off", m.name)
						}
					}()
					do(tr, m)
					for _, v := range tr.violations {
						if !s.planted {
							t.Error(v)
						}
					}
				})
				leave()
			}
		})
	}
	lanes.Wait()
	return r
}
