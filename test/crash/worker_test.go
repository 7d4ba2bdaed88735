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
			p.Kill9()
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
	sweep{title: "worker killed, each event"}.play(t, every(ref.events, 6, atEvent), killWorker(ref))
}

func TestWorkerKilledAtEveryRequestToTheWorld(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.effects, 2, func(n int) moment { return atPoint(arrives, n) })
	moments = append(moments, every(ref.effects, 2, func(n int) moment { return atPoint(answered, n) })...)
	moments = append(moments, every(ref.inferences, 1, func(n int) moment { return atPoint(asked, n) })...)
	sweep{title: "worker killed, each request"}.play(t, moments, killWorker(ref))
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
			p.Kill9()
			after(time.Duration(random.Int64N(int64(500 * time.Millisecond)))).wait(tr)
			p = tr.worker()
		}
		if tr.wait() {
			tr.checkSurvival(ref)
		}
	})
	require.Equal(t, *runs, r.tried)
}
