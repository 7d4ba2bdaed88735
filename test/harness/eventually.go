package harness

import (
	"testing"
	"time"
)

// lookEvery is how often a condition is looked at.
const lookEvery = 10 * time.Millisecond

// Eventually waits until cond holds. cond also says what it saw; if it does not
// hold in time, the test fails with what was awaited and what was seen last.
func Eventually(t testing.TB, timeout time.Duration, cond func() (holds bool, seen string), what string) {
	t.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if holds, _ := cond(); holds {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline.C:
			// A slow look may have used up all the time: one more is fair.
			holds, seen := cond()
			if !holds {
				t.Fatalf("not within %s: %s\nlast seen: %s", timeout, what, seen)
			}
			return
		}
	}
}
