package crash

import "testing"

// lanes is how many servers are killed side by side.
const lanes = 3

// killServer kills the Temporal server at a moment, perhaps with the worker,
// and brings it back with its file.
func killServer(ref *reference, workerToo bool) func(*trial, moment) {
	return func(tr *trial, m moment) {
		p := tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			tr.site.kill()
			if workerToo {
				tr.kill(p)
			}
			tr.site.restart(tr.t)
			if workerToo {
				tr.worker()
			}
		}
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	}
}

func TestServerKilledAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "server killed, each event", on: ownSite, lanes: lanes}.
		play(t, every(ref.events, 2, atEvent), killServer(ref, false))
}

func TestServerAndWorkerKilledTogether(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.effects, 1, func(n int) moment { return atPoint(arrives, n) })
	moments = append(moments, every(ref.inferences, 1, func(n int) moment { return atPoint(asked, n) })...)
	sweep{title: "server and worker killed, each request", on: ownSite, lanes: lanes}.play(t, moments, killServer(ref, true))
}
