package crash

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/toolworker/plant"
)

// Each planted fault must be found, by the invariant that it breaks, or all of
// the other figures mean nothing.
func TestPlantedFaultsAreFound(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	for _, c := range []struct {
		fault  string
		at     moment
		do     func(*trial, moment)
		breaks invariant
	}{
		{plant.RepeatOnce, atPoint(arrives+" "+pay, 1), killWorker(ref), onceAtMostOnce},
		{plant.NewKey, atPoint(arrives+" "+apply, 1), killWorker(ref), appliedOnce},
		{plant.ForgetResult, atPoint(arrives+" "+look, 1), killWorker(ref), nothingLost},
		{plant.SkipRelease, atPoint(asked, 1), leaveAlone(ref), released},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			r := sweep{title: "planted: " + c.fault, planted: true}.
				play(t, []moment{c.at}, c.do, plant.Env+"="+c.fault)
			require.Equal(t, 1, r.reached)
			require.Contains(t, strings.Join(r.violations, "\n"), string(c.breaks))
		})
	}
}

// leaveAlone does nothing to a run.
func leaveAlone(ref *reference) func(*trial, moment) {
	return func(tr *trial, m moment) {
		tr.worker()
		tr.start()
		tr.reached = m.wait(tr)
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	}
}
