package main

import (
	"context"
	"sync"
	"time"

	"errand/cmd/errand/show"
	"errand/starter"
)

// servedCall is what "errand serve" reports of a call that it has executed.
type servedCall struct {
	RunID      string `json:"run_id"`
	ActionID   string `json:"action_id"`
	ToolCallID string `json:"tool_call_id"`
	Tool       string `json:"tool"`
	Key        string `json:"key"`
	Status     string `json:"status"` // succeeded, failed or interrupted
	Error      string `json:"error,omitempty"`
	DurationMS int64  `json:"duration_ms"`
}

// reported has every call reported when its program has ended. A program that
// runs when the command is stopped may finish: only the end of its call, or
// the loss of its claim, kills it.
func (a *app) reported(stopping context.Context, handlers starter.Handlers, idle *idle) starter.Handlers {
	var printing sync.Mutex
	all := starter.Handlers{}
	for name, handler := range handlers {
		all[name] = func(ctx context.Context, call starter.Call) (any, error) {
			began := time.Now()
			working, done := outlasting(ctx, stopping)
			defer done()
			output, err := handler(working, call)
			one := servedCall{
				RunID: call.RunID, ActionID: call.ActionID, ToolCallID: call.ToolCallID, Tool: name, Key: call.Key,
				Status: "succeeded", DurationMS: time.Since(began).Milliseconds(),
			}
			switch {
			case working.Err() != nil:
				one.Status, one.Error = "interrupted", context.Cause(working).Error()
			case err != nil:
				one.Status, one.Error = "failed", err.Error()
			}
			printing.Lock()
			defer printing.Unlock()
			a.showServed(one)
			idle.moved()
			return output, err
		}
	}
	return all
}

func (a *app) showServed(one servedCall) {
	if a.json() {
		_ = a.document(one) // whoever does not read it misses no call
		return
	}
	paint := a.paint(a.std.errTerminal)
	mark, why := paint.Good("✓"), ""
	if one.Status != "succeeded" {
		mark, why = paint.Bad("✗"), ": "+show.Line(one.Error)
	}
	a.notice("%s %s of %s (%s) %s in %s%s", mark, show.Line(one.Tool), show.Line(one.RunID), show.Line(one.ActionID), one.Status,
		(time.Duration(one.DurationMS) * time.Millisecond), why)
}

// outlasting is ctx, but that it does not end because the command stops.
func outlasting(ctx, stopping context.Context) (context.Context, func()) {
	working, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		if stopping.Err() == nil {
			cancel(context.Cause(ctx))
		}
	})
	return working, func() {
		forget()
		cancel(nil)
	}
}
