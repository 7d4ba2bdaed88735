package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/tools"
)

// The functions here call code that users wrote. A panic in it fails the one
// call that it was made for.

func adapt(source Source, name string, arguments json.RawMessage) (out json.RawMessage, err error) {
	defer recovered(&err)
	return source.Prepare(name, arguments)
}

// before asks the hooks one after the other. The first that does not allow
// ends it; arguments that one changed are what the next one sees.
func (a *Activities) before(ctx context.Context, call HookCall) (d Decision, err error) {
	defer recovered(&err)
	var changed json.RawMessage
	for _, hook := range a.hooks.Before {
		d, err := askHook(ctx, hook, call)
		if err != nil {
			return Decision{}, err
		}
		switch d.Verdict {
		case "", VerdictAllow, VerdictBlock, VerdictAsk:
		default: // a slip must not let the call run
			return Decision{}, fmt.Errorf("it returned the unknown verdict %q", d.Verdict)
		}
		if d.Arguments != nil {
			if !json.Valid(d.Arguments) {
				return Decision{}, fmt.Errorf("it set arguments that are not JSON")
			}
			changed, call.Arguments = d.Arguments, d.Arguments
		}
		if d.Verdict == VerdictBlock || d.Verdict == VerdictAsk {
			d.Arguments = changed
			return d, nil
		}
	}
	return Allow().With(changed), nil
}

// hookLimit is how long a before-hook may take: the run can do nothing else
// meanwhile.
const hookLimit = 5 * time.Second

// askHook asks one hook beside a watch on its time. One that hangs is left
// behind.
func askHook(ctx context.Context, hook BeforeToolCall, call HookCall) (Decision, error) {
	limited, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	type answer struct {
		decision Decision
		err      error
	}
	answers := make(chan answer, 1)
	go func() {
		got := answer{err: errors.New("it ended its goroutine without returning")} // unless it returns
		defer func() { answers <- got }()
		defer recovered(&got.err)
		if got.decision, got.err = hook(limited, call); got.err != nil {
			got.err = errors.New(got.err.Error()) // its methods may panic, so they are called here
		}
	}()
	select {
	case got := <-answers:
		return got.decision, got.err
	case <-limited.Done():
		if ctx.Err() != nil {
			return Decision{}, ctx.Err()
		}
		return Decision{}, fmt.Errorf("it did not answer within %s", hookLimit)
	}
}

func (a *Activities) after(ctx context.Context, call HookCall, out *tools.Output) (err error) {
	defer recovered(&err)
	for _, hook := range a.hooks.After {
		if err := hook(ctx, call, out); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, source executor, name string, call tools.Invocation) (out tools.Output, err error) {
	defer recovered(&err)
	return source.Execute(ctx, name, call)
}

// recovered must be deferred itself: recover works in no other place.
func recovered(err *error) {
	if value := recover(); value != nil {
		*err = &panicError{value, debug.Stack()}
	}
}

// panicError is a panic of users' code. It does not unwrap to a value that is
// an error, or a panic could pass for a cancellation.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// StackTrace is where it panicked.
func (e *panicError) StackTrace() []byte { return e.stack }

// warn writes a failure of users' code to the worker's log, and where it
// panicked: the model reads only what it said.
func warn(ctx context.Context, message, tool string, err error) {
	fields := []any{"tool", tool, "error", err}
	var traced interface{ StackTrace() []byte }
	if errors.As(err, &traced) {
		fields = append(fields, "stack", string(traced.StackTrace()))
	}
	activity.GetLogger(ctx).Warn(message, fields...)
}
