package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"

	"errand/activities/usercode"
	"errand/tools"
	"errand/tools/schema"
)

// finalize turns what a tool returned into the call's outcome: after-hooks,
// output schema, size.
func (a *Activities) finalize(ctx context.Context, in ExecuteInput, call HookCall, out tools.Output, err error) (o tools.Outcome) {
	// Errors and contents are the tool's own values: their methods may panic.
	defer func() {
		if p := recover(); p != nil {
			usercode.Warn(ctx, "a tool's answer could not be read", call.Call.Tool, usercode.NewPanic(p))
			o = tools.Fail(tools.Failed, tools.ErrExecutionFailed, fmt.Sprintf("tool %q ran, and its answer could not be read: panic: %v", call.Call.Tool, p))
		}
	}()
	if errors.Is(err, errTimedOut) {
		text := fmt.Sprintf("tool %q timed out after %s", call.Call.Tool, in.Timeout)
		if errors.Is(err, errStillRuns) {
			text += " and ignores that it was told to stop: it may still take effect"
		}
		return tools.Fail(tools.Failed, tools.ErrTimedOut, text)
	}
	if o, known := callErrorOf(err); known {
		activity.GetLogger(ctx).Warn("tool failed", "tool", call.Call.Tool, "type", o.ErrorType, "error", o.Message())
		return o
	}
	if err != nil {
		usercode.Warn(ctx, "tool failed", call.Call.Tool, err)
		out = tools.Output{Content: tools.Fail(tools.Failed, tools.ErrExecutionFailed, err.Error()).Output, IsError: true, Public: out.Public}
	}
	if ctx.Err() != nil { // no hook runs in a run that was stopped
		return a.outcome(ctx, call.Descriptor, out, a.outputLimit(in))
	}
	if hookErr := a.after(ctx, call, &out); hookErr != nil {
		usercode.Warn(ctx, "a hook failed after the tool had run", call.Call.Tool, hookErr)
		reason, _ := tools.Cut(hookErr.Error(), maxReason)
		o := tools.Fail(tools.Failed, tools.ErrExecutionFailed, "a hook failed after the tool had run: "+reason)
		o.Changes = bounded(out.Changes)
		return o
	}
	return a.outcome(ctx, call.Descriptor, out, a.outputLimit(in))
}

// outcome is that of a call that returned, with an output of at most limit bytes.
func (a *Activities) outcome(ctx context.Context, tool tools.Descriptor, out tools.Output, limit int) tools.Outcome {
	text, err := Text(out.Content)
	if err != nil {
		o := tools.Fail(tools.Failed, tools.ErrExecutionFailed,
			fmt.Sprintf("tool %q ran, but its output cannot be written as JSON: %v", tool.Name, err))
		o.Changes = bounded(out.Changes)
		return o
	}
	o := tools.Outcome{Status: tools.Succeeded, Terminate: out.Terminate, Changes: bounded(out.Changes)}
	if out.IsError {
		// A failure never ends the run early.
		o.Status, o.ErrorType, o.Terminate = tools.Failed, tools.ErrExecutionFailed, false
	} else {
		o.Warnings = a.outputWarnings(ctx, tool, text)
	}
	for i, w := range out.Warnings {
		if i < maxWarnings {
			o.Warnings = append(o.Warnings, cut(w))
		}
	}
	if o.Public = out.Public; !publishable(o.Public) {
		o.Public = nil
		o.Warnings = append(o.Warnings, fmt.Sprintf("what %q has to show beside its output was left out: it is no JSON object of at most %d bytes", tool.Name, maxPublic))
	}
	o.Output, o.FullSize = tools.Cut(text, limit)
	if o.FullSize > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("the output of %q had %d bytes and was cut", tool.Name, o.FullSize))
	}
	return o
}

// maxPublic bounds what a call shows beside its output: it goes into history
// and into the result.
const maxPublic = 64 << 10

func publishable(raw json.RawMessage) bool {
	if raw == nil {
		return true
	}
	_, ok := tools.Object(raw)
	return ok && len(raw) <= maxPublic
}

// outputWarnings checks an output against the tool's own schema. A mismatch
// only warns: the call has taken place.
func (a *Activities) outputWarnings(ctx context.Context, tool tools.Descriptor, text string) []string {
	if tool.OutputSchema == nil {
		return nil
	}
	work := schema.NewBudget(context.WithoutCancel(ctx)) // what a stopped run has done is told as well
	s, err := a.caches.schemas.GetWithin(work, tool.OutputSchema)
	if err != nil {
		return []string{fmt.Sprintf("the output schema of %q does not compile: %v", tool.Name, err)}
	}
	if !json.Valid([]byte(text)) {
		return []string{fmt.Sprintf("the output of %q is not JSON, as its schema wants", tool.Name)}
	}
	if issues := s.CheckWithin(work, json.RawMessage(text)); len(issues) > 0 {
		return []string{fmt.Sprintf("the output of %q does not fit its schema: %s: %s",
			tool.Name, issues[0].Path, issues[0].Message)}
	}
	return nil
}

const (
	maxChanges    = 200
	maxChangeText = 500
)

// bounded keeps what a tool reports small: it goes into history.
func bounded(changes []tools.Change) []tools.Change {
	if len(changes) > maxChanges {
		left := len(changes) - maxChanges + 1
		changes = append(changes[:maxChanges-1:maxChanges-1], tools.Change{
			Resource: "…", Kind: "left_out", Detail: fmt.Sprintf("%d more changes", left),
		})
	}
	short := make([]tools.Change, len(changes))
	for i, c := range changes {
		short[i].Resource, _ = tools.Cut(c.Resource, maxChangeText)
		short[i].Kind, _ = tools.Cut(c.Kind, maxChangeText)
		short[i].Detail, _ = tools.Cut(c.Detail, maxChangeText)
	}
	return short
}

// Text is the content of an output as the model reads it: a string as it is,
// anything else as JSON text.
func Text(content any) (string, error) {
	switch c := content.(type) {
	case nil:
		return "", nil
	case string:
		return c, nil
	case json.RawMessage:
		return string(c), nil
	case []byte:
		return string(c), nil
	}
	text, err := json.Marshal(content)
	return string(text), err
}

// callErrorOf is the outcome that a source's own failure stands for.
func callErrorOf(err error) (tools.Outcome, bool) {
	var e *tools.CallError
	if !errors.As(err, &e) {
		return tools.Outcome{}, false
	}
	o := tools.Fail(e.Status, e.Type, cut(e.Message))
	o.Public = e.Detail
	return o, true
}
