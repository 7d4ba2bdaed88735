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
		breaks invariant
	}{
		{plant.RepeatOnce, atPoint(arrives+" "+pay, 1), onceAtMostOnce},
		{plant.NewKey, atPoint(arrives+" "+apply, 1), appliedOnce},
		{plant.ForgetResult, atPoint(arrives+" "+look, 1), nothingLost},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			r := sweep{title: "planted: " + c.fault, planted: true}.
				play(t, []moment{c.at}, killWorker(ref), plant.Env+"="+c.fault)
			require.Equal(t, 1, r.reached)
			require.Contains(t, strings.Join(r.violations, "\n"), string(c.breaks))
		})
	}
}
