package crash

import (
	"testing"

	"errand/starter"
)

// continuing runs go on in a new execution wherever nothing is under way.
var continuing = starter.RunOptions{ContinueAfterEvents: 1}

// A run of several executions is killed in all of them, and between them.
func TestWorkerOfAContinuingRunKilledAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.events+ref.events/2, 3, atEvent)
	sweep{title: "worker killed, each event, run continues", options: continuing}.play(t, moments, killWorker(ref))
}

func TestContinuingRunCancelledAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.events+ref.events/2, 2, atEvent)
	sweep{title: "cancelled, each event, run continues", options: continuing}.play(t, moments, cancel(ref))
}
