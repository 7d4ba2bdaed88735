package activities

import (
	"context"

	"errand/tools"
)

// Opener is what a Source with tools of scope run implements as well. Discovery
// never opens anything (CL-2).
type Opener interface {
	// Open makes the source ready for one run; the first call that needs it asks
	// for it. It is not called again for the same Opening while the session
	// lives. An error is the outcome of the calls that wait for it; the next
	// call tries again.
	Open(ctx context.Context, o Opening) (Session, error)
}

// Opening names one activation.
type Opening = tools.Opening

// Session is a source opened for one run.
type Session = tools.Session
