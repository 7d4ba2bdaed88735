package crash

import (
	"fmt"
	"strings"
	"time"

	"errand/test/world"
)

// How long after a run's end what it had opened may still be open. A run that
// ends by itself, in a worker that nothing has happened to, has closed it
// before. A worker that heard nothing of the end looks every 30 s.
const (
	closesSoon   = 2 * time.Second
	closesWithin = 75 * time.Second
)

func (tr *trial) closes() time.Duration {
	if tr.result != nil && !tr.anyStruck() && !tr.reset {
		return closesSoon
	}
	return closesWithin
}

// checkSessions: every opening is closed exactly once. That of a worker that
// was killed has gone with its process, and is closed once at most.
func (tr *trial) checkSessions() {
	limit := tr.closes()
	deadline := time.Now().Add(limit)
	for {
		open := tr.stillOpen()
		if len(open) == 0 {
			break
		}
		if time.Now().After(deadline) || tr.ctx.Err() != nil {
			tr.violate(released, "%s: still open %s after the end", strings.Join(open, ", "), limit)
			break
		}
		<-time.After(again)
	}
	sessions := tr.world.Sessions()
	for i, s := range sessions {
		if len(s.Closed) > 1 {
			tr.violate(released, "%s was closed %d times", s.Name, len(s.Closed))
		}
		if i > 0 && tr.rivals(sessions[i-1], s) {
			tr.violate(oneAtATime, "%s was opened while %s was open in a worker that nothing had happened to", s.Name, sessions[i-1].Name)
		}
	}
	tr.checkUse(sessions)
}

// stillOpen are the openings in workers that live.
func (tr *trial) stillOpen() []string {
	var open []string
	for _, s := range tr.world.Sessions() {
		if len(s.Closed) == 0 && tr.struck[s.Worker] != killed {
			open = append(open, fmt.Sprintf("%s (%s, worker %s)", s.Name, s.ID, s.Worker))
		}
	}
	return open
}

func (tr *trial) rivals(before, after world.Session) bool {
	closed := len(before.Closed) > 0 && before.Closed[0].Before(after.Opened)
	return !closed && tr.struck[before.Worker] == unharmed
}

// checkUse: what happens in a room happens while it is open.
func (tr *trial) checkUse(sessions []world.Session) {
	for _, e := range tr.world.All() {
		if e.Session == "" {
			continue
		}
		for _, s := range sessions {
			if s.ID == e.Session && len(s.Closed) > 0 && e.At.After(s.Closed[0]) {
				tr.violate(released, "%s %s happened in %s after it was closed", e.Tool, e.Body, s.Name)
			}
		}
	}
}

// checkReports: the result reports on every opening that the world knows of,
// once.
func (tr *trial) checkReports() {
	reports := map[string]int{}
	for _, r := range tr.result.Run.Release {
		name := fmt.Sprintf("%s/%s/%d", tr.run.ID(), r.Source, r.Epoch)
		reports[name]++
		if r.Error != "" && !tr.anyStruck() {
			tr.violate(released, "%s: %s", name, r.Error)
		}
	}
	for _, s := range tr.world.Sessions() {
		if reports[s.Name] == 0 {
			tr.violate(released, "run.release does not mention %s (worker %s, %s)", s.Name, s.Worker, tr.struck[s.Worker])
		}
	}
}
