// Package usercode calls what the users of a worker wrote: tools, hooks, models
// and sessions. A panic in it, or an end of its goroutine, is an error of that
// one call.
package usercode

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"go.temporal.io/sdk/activity"
)

// ErrEndedGoroutine is the error of a function that did not return.
var ErrEndedGoroutine = errors.New("it ended its goroutine without returning")

// Answer is what a call came to.
type Answer[T any] struct {
	Value T
	Err   error
}

// Go calls f in a goroutine of its own. The caller may leave one behind that does
// not return.
func Go[T any](f func() (T, error)) <-chan Answer[T] {
	answers := make(chan Answer[T], 1)
	go func() {
		got := Answer[T]{Err: ErrEndedGoroutine} // unless it returns
		defer func() { answers <- got }()
		defer Recover(&got.Err)
		got.Value, got.Err = f()
	}()
	return answers
}

// Recover makes the error of a panic. It must be deferred itself: recover works
// in no other place.
func Recover(err *error) {
	if value := recover(); value != nil {
		*err = NewPanic(value)
	}
}

// Panic is the error of a panic. It does not unwrap to a value that is an error,
// or a panic could pass for a cancellation.
type Panic struct {
	value any
	stack []byte
}

// NewPanic is for a value that was recovered, and called where it was.
func NewPanic(value any) *Panic { return &Panic{value, debug.Stack()} }

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// StackTrace is where it panicked.
func (p *Panic) StackTrace() []byte { return p.stack }

// Warn writes a failure to the worker's log, and where it panicked: the model
// reads only what it said.
func Warn(ctx context.Context, message, tool string, err error) {
	fields := []any{"tool", tool, "error", err}
	var traced interface{ StackTrace() []byte }
	if errors.As(err, &traced) {
		fields = append(fields, "stack", string(traced.StackTrace()))
	}
	activity.GetLogger(ctx).Warn(message, fields...)
}
