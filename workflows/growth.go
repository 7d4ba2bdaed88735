package workflows

import "errand/workflows/contract"

// A server ends an execution of 51,200 events or 50 MiB, and refuses its
// 10,001st signal and its 2,001st update. A run goes on in a new execution well
// before.
const (
	manyEvents, tooManyEvents = contract.MaxContinueAfterEvents, 45_000
	manyBytes, tooManyBytes   = 30 << 20, 42 << 20
	manySignals               = 8_000
	manyUpdates               = 1_500
)

// growth is how far an execution has come.
type growth struct {
	// moved tells whether anything has happened since the execution began.
	moved bool
	// events and bytes are those of its history, carried the bytes that it
	// began with.
	events, bytes, carried int
	signals, updates       int
	// suggested is the server's own advice to continue.
	suggested bool
	// limit is run.continue_after_events; 0 leaves it to the server.
	limit int
	// unfit is the size of the history when the state last did not fit into a
	// new execution; 0 when it always did.
	unfit int
}

// course is what growth asks for.
type course int

const (
	stay course = iota
	renew
	giveUp
)

// course says whether a run should go on in a new execution. One that cannot,
// since its state does not fit, stays as long as the server lets it, and tries
// again when it has grown: a conversation can be made smaller meanwhile.
func (g growth) course() course {
	switch {
	case !g.moved:
		return stay
	case g.unfit > 0 && (g.events >= tooManyEvents || g.bytes >= tooManyBytes):
		return giveUp
	case g.unfit > 0 && g.bytes < g.unfit+g.unfit/4:
		return stay
	case g.limit > 0 && g.events >= g.limit,
		g.signals >= manySignals, g.updates >= manyUpdates,
		g.events >= manyEvents, g.bytes >= manyBytes,
		g.suggested && g.bytes >= 2*g.carried: // or the copying would be most of the work
		return renew
	}
	return stay
}
