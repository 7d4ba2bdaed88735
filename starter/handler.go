package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"go.uber.org/zap"

	"errand/tools"
	"errand/workflows"
)

// Handler executes one call of a client-owned tool. What it returns goes to
// the model: a string as it is, anything else as its JSON text. An error goes
// to the model as well, as a failed call; the run goes on.
//
// ctx ends when Serve's does, when the run ends, when somebody else has
// settled or taken the call, and at the call's own deadline. A handler that
// fails after that has not answered; the call is left open for others.
type Handler func(ctx context.Context, call Call) (any, error)

// Handlers has a handler for each tool, by the name that the request declares;
// for a member of a namespace, by namespace.name.
type Handlers map[string]Handler

// Call is one call to execute. Its manifest says which run, which tool and
// with what arguments; the worker has checked them against the tool's schema.
type Call struct {
	workflows.Manifest
	// Key is the same whenever this call is executed, by whatever process.
	// Pass it to what you change, so that a repeat does no harm: after a
	// crash the call is executed again.
	Key string
	// ExpiresAt is when the run stops waiting; zero means never.
	ExpiresAt time.Time
}

// Decode reads the arguments into target. A custom tool has Input instead.
func (c Call) Decode(target any) error {
	if c.Input != nil {
		return fmt.Errorf("%q is a custom tool: read Input", c.Tool)
	}
	if err := json.Unmarshal(c.Args, target); err != nil {
		return fmt.Errorf("arguments of %q: %w", c.Tool, err)
	}
	return nil
}

func newCall(a workflows.OpenAction) Call {
	call := Call{Manifest: a.Manifest, ExpiresAt: a.ExpiresAt, Key: a.RunID + "/" + a.ActionID}
	if round, index, ok := place(a.ActionID); ok {
		call.Key = tools.Key(a.RunID, round, index)
	}
	return call
}

// place reads the place of a call out of its action id.
func place(actionID string) (round, index int, ok bool) {
	n, err := fmt.Sscanf(actionID, "act_%d_%d", &round, &index)
	return round, index, err == nil && n == 2
}

// handlerName is the name that a call looks its handler up by.
func handlerName(m workflows.Manifest) string {
	if m.Namespace != "" {
		return m.Namespace + "." + m.Tool
	}
	return m.Tool
}

func (h Handlers) check() error {
	var faults []error
	for name, handler := range h {
		if handler == nil || strings.TrimSpace(name) == "" {
			faults = append(faults, fmt.Errorf("handler %q: needs a name and a function", name))
		}
	}
	return errors.Join(faults...)
}

// invoke runs a handler. Its failure, a panic included, is an answer as well;
// the error tells the caller that it was one.
func invoke(ctx context.Context, call Call, handler Handler, log *zap.Logger) (workflows.Answer, error) {
	output, err := protect(ctx, call, handler, log)
	answer := workflows.Answer{ToolCallID: call.ToolCallID, ActionID: call.ActionID}
	if err == nil {
		answer.Output, err = json.Marshal(output)
	}
	if err != nil {
		message := fmt.Sprintf("Error for '%s': %s", call.Tool, err)
		return failure(answer, tools.ErrExecutionFailed, message), err
	}
	return answer, nil
}

func protect(ctx context.Context, call Call, handler Handler, log *zap.Logger) (output any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			log.Error("a handler panicked", zap.Any("panic", reason), zap.ByteString("stack", debug.Stack()))
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	return handler(ctx, call)
}

// refuse is the handler of a tool that has none.
func refuse(answer workflows.Answer, tool string) workflows.Answer {
	return failure(answer, tools.ErrNoHandler, fmt.Sprintf("no handler for '%s'", tool))
}
