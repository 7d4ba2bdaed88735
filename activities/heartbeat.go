package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/activities/model"
)

// HeartbeatTimeout is how long a worker may be silent before its activities
// count as lost.
const HeartbeatTimeout = 10 * time.Second

// beatEvery is how often an activity says that it lives. It bounds how soon a
// cancellation is noticed; activities shorter than this send nothing.
const beatEvery = time.Second

// Heartbeat is the only heartbeat detail: a cursor, never an output, since the
// server counts it against the run.
type Heartbeat struct {
	// Begun says that the tool may have been touched.
	Begun bool `json:"begun,omitempty"`
	// Spent is what failed attempts at an inference have used.
	Spent *model.Spent `json:"spent,omitempty"`
	// Left says that it was told to stop, and did not return.
	Left bool `json:"left,omitempty"`
	// Refused and Unread count the attempts at an inference that the model's
	// server failed, and those that did not reach it because this run could not
	// be read. An attempt that a worker's end interrupted is neither. Allowed is
	// how many the model may fail.
	Refused int `json:"refused,omitempty"`
	Unread  int `json:"unread,omitempty"`
	Allowed int `json:"allowed,omitempty"`
}

// beat heartbeats until the returned function is called, which waits for the
// last beat to be over.
func beat(ctx context.Context, details func() Heartbeat) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(beatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx, details())
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

// beatOn goes on with the beats while a tool is given time to stop: the SDK's
// end with the activity's context.
func (a *Activities) beatOn(ctx context.Context, details func() Heartbeat) (stop func()) {
	done := make(chan struct{})
	token := activity.GetInfo(ctx).TaskToken
	detached := context.WithoutCancel(ctx)
	unhook := context.AfterFunc(ctx, func() {
		ticker := time.NewTicker(3 * beatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				limited, cancel := context.WithTimeout(detached, 2*beatEvery)
				_ = a.engine.RecordActivityHeartbeat(limited, token, details())
				cancel()
			}
		}
	})
	return func() {
		unhook()
		close(done)
	}
}

func noDetails() Heartbeat { return Heartbeat{} }
