package crash

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// killWorker kills the worker at a moment and starts another one.
func killWorker(ref *reference) func(*trial, moment) {
	return func(tr *trial, m moment) {
		p := tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			tr.kill(p)
			tr.worker()
		}
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	}
}

func TestWorkerKilledAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "worker killed, each event"}.play(t, every(ref.events, 4, atEvent), killWorker(ref))
}

func TestWorkerKilledAtEveryRequestToTheWorld(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.effects, 2, func(n int) moment { return atPoint(arrives, n) })
	moments = append(moments, every(ref.effects, 2, func(n int) moment { return atPoint(answered, n) })...)
	moments = append(moments, every(ref.inferences, 1, func(n int) moment { return atPoint(asked, n) })...)
	sweep{title: "worker killed, each request"}.play(t, moments, killWorker(ref))
}

// A worker that is asked to stop finishes or hands back what it has, while the
// next one is there already: nothing is repeated and nothing is lost.
func TestWorkerStoppedAtEveryEvent(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "worker stopped, each event"}.play(t, every(ref.events, 3, atEvent), func(tr *trial, m moment) {
		p := tr.worker()
		tr.start()
		if tr.reached = m.wait(tr); tr.reached {
			tr.stop(p)
			tr.worker()
		}
		if !tr.wait() {
			return
		}
		if tr.reached {
			require.Zero(tr.t, p.Wait(tr.t, patience))
		}
		tr.checkSurvival(ref)
		if tr.unknown+tr.repeated > 0 {
			tr.violate(gracefulStop, "%d outcomes are unknown, %d effects were repeated", tr.unknown, tr.repeated)
		}
	})
}

func TestWorkerKilledAtRandomInstants(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	r := sweep{title: "worker killed, random instants"}.play(t, seeded(), func(tr *trial, m moment) {
		random := m.random()
		p := tr.worker()
		tr.start()
		for range 1 + random.IntN(3) {
			if !after(time.Duration(random.Int64N(int64(time.Second)))).wait(tr) {
				break
			}
			tr.reached = true
			tr.kill(p)
			after(time.Duration(random.Int64N(int64(500 * time.Millisecond)))).wait(tr)
			p = tr.worker()
		}
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	})
	require.Equal(t, *runs, r.tried)
}
