package activities

import (
	"context"

	"go.temporal.io/sdk/temporal"
)

// own is what belongs to this one worker: its task queue, its sessions, and the
// turnstile of the calls that came by that queue.
type own struct {
	queue     string
	holder    *holder
	turnstile chan struct{}
	// stopping ends when the worker has no more time for what it is doing.
	stopping context.Context
	stop     context.CancelCauseFunc
}

func newOwn(o Own) own {
	stopping, stop := context.WithCancelCause(context.Background())
	return own{
		queue: o.Queue, holder: newHolder(), turnstile: make(chan struct{}, o.Calls), stopping: stopping, stop: stop,
	}
}

// until is a context that also ends when the worker stops.
func (o own) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(o.stopping, func() { cancel(context.Cause(o.stopping)) })
	return ctx, func() {
		unhook()
		cancel(nil)
	}
}

// enter waits for a place among the calls on this worker's own queue. They are
// all taken from the queue at once and wait here: a call that nobody takes is
// then a sign of a worker that is gone, and never of one that has much to do.
func (o own) enter(ctx context.Context) (leave func(), err error) {
	select {
	case o.turnstile <- struct{}{}:
		return func() { <-o.turnstile }, nil
	case <-ctx.Done():
		return nil, stopped(ctx, Progress{})
	}
}

// noSuchSession is the error of a call whose activation this worker has not.
func noSuchSession(a Activation) error {
	return temporal.NewNonRetryableApplicationError("this worker does not hold "+a.String(), TypeNotActivated, nil)
}
