package openaimodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	defaultIdleTimeout = 2 * time.Minute
	// drainTime and drainBytes are what a server gets to end its reply after
	// the end of its answer. Most need none of it. One that is left in the
	// middle of a word takes its client for lost, and the connection is.
	drainTime  = 200 * time.Millisecond
	drainBytes = 64 << 10
)

// stalledError is the error for a server that sent nothing for so long.
type stalledError time.Duration

func (s stalledError) Error() string {
	return fmt.Sprintf("the server sent nothing for %s and counts as stalled; raise the idle timeout if its model is only slow",
		time.Duration(s))
}

// watch ends a request when no byte has come for a while. Comments that keep a
// connection alive are bytes too.
type watch struct {
	// ctx is the request's, and ends with a stalledError.
	ctx   context.Context
	end   context.CancelCauseFunc
	idle  time.Duration
	timer *time.Timer // nil when a stall is no fault
}

// newWatch begins to wait for the first byte of a request, which is to be made
// with the context returned. An idle of 0 waits for ever. The caller stops it.
func newWatch(ctx context.Context, idle time.Duration) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	w := &watch{ctx: ctx, end: end, idle: idle}
	if idle > 0 {
		w.timer = time.AfterFunc(idle, func() { end(stalledError(idle)) })
	}
	return ctx, w
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.end(nil)
}

// cause is the stall, if that is why a request failed, or else err. When
// the request's own context has ended as well, its owner knows.
func (w *watch) cause(err error) error {
	var stalled stalledError
	if err != nil && errors.As(context.Cause(w.ctx), &stalled) {
		return stalled
	}
	return err
}

// drain reads the rest of a reply whose answer is whole. What it says does
// not matter.
func (w *watch) drain(rest io.Reader) {
	if w.timer != nil {
		w.timer.Reset(drainTime)
		_, _ = io.CopyN(io.Discard, rest, drainBytes)
	}
}

// watched is a reader that reports every byte to a watch.
type watched struct {
	source io.Reader
	watch  *watch
}

func (w watched) Read(p []byte) (int, error) {
	n, err := w.source.Read(p)
	if n > 0 && w.watch.timer != nil {
		w.watch.timer.Reset(w.watch.idle)
	}
	return n, err
}
