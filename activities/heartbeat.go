package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// HeartbeatTimeout is how long a worker may be silent before its activities
// count as lost.
const HeartbeatTimeout = 10 * time.Second

// beatEvery is how often an activity says that it lives. It bounds how soon a
// cancellation is noticed; activities shorter than this send nothing.
const beatEvery = time.Second

// TypeWorkerStopped is the error type of an activity whose worker was stopped.
// It is never mistaken for a cancelled run.
const TypeWorkerStopped = "WorkerStopped"

// Progress is the only heartbeat detail: a cursor, never an output, since the
// server counts it against the run.
type Progress struct {
	// Begun says that the tool may have been touched.
	Begun bool `json:"begun,omitempty"`
	// Spent is what failed attempts at an inference have used.
	Spent *Spent `json:"spent,omitempty"`
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
func beat(ctx context.Context, progress func() Progress) (stop func()) {
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
				activity.RecordHeartbeat(ctx, progress())
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
func (a *Activities) beatOn(ctx context.Context, progress func() Progress) (stop func()) {
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
				_ = a.engine.RecordActivityHeartbeat(limited, token, progress())
				cancel()
			}
		}
	})
	return func() {
		unhook()
		close(done)
	}
}

// stopped turns the end of an activity's context into the error that Temporal
// should see: the cancellation itself, or that this worker goes away and how
// far it got.
func stopped(ctx context.Context, p Progress) error {
	if workerStops(ctx) {
		return temporal.NewApplicationError("the worker was stopped", TypeWorkerStopped, p)
	}
	if p.Left {
		return temporal.NewCanceledError(p)
	}
	return ctx.Err()
}

func workerStops(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), worker.ErrWorkerShutdown)
}
