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
	"errand/workflows/contract"
)

// Handler executes one call of a client-owned tool. What it returns goes to
// the model: a string, []byte or json.RawMessage as it is, nil as an empty text,
// anything else as its JSON text. An error goes to the model as well, as a
// failed call, and so do a panic and a goroutine that it ends; the run goes on.
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
	Manifest
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

func newCall(a OpenAction) Call {
	call := Call{Manifest: a.Manifest, ExpiresAt: a.ExpiresAt, Key: a.RunID + "/" + a.ActionID}
	if round, index, ok := contract.Place(a.ActionID); ok {
		call.Key = tools.Key(a.RunID, round, index)
	}
	return call
}

// handlerName is the name that a call looks its handler up by.
func handlerName(m Manifest) string {
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

// errLeft is the failure of a handler that neither returned nor panicked.
var errLeft = errors.New("the handler ended its goroutine")

// invoke runs a handler. Its failure, a panic included, is an answer as well;
// the error tells the caller that it was one.
func invoke(ctx context.Context, call Call, handler Handler, log *zap.Logger) (Answer, error) {
	answer := Answer{ToolCallID: call.ToolCallID, ActionID: call.ActionID}
	output, err := protect(ctx, call, handler, log)
	if err != nil {
		message := fmt.Sprintf("Error for '%s': %s", call.Tool, err)
		return failure(answer, tools.ErrExecutionFailed, message), err
	}
	answer.Output = output
	return answer, nil
}

// protect runs a handler in a goroutine of its own, which the handler may end.
// What it returned, which may have methods that panic, is not touched outside:
// the output is JSON, the error a text.
func protect(ctx context.Context, call Call, handler Handler, log *zap.Logger) (json.RawMessage, error) {
	type outcome struct {
		output json.RawMessage
		err    error
	}
	outcomes := make(chan outcome, 1)
	go func() {
		got := outcome{err: errLeft} // unless it returns
		defer func() { outcomes <- got }()
		defer func() {
			if reason := recover(); reason != nil {
				got.err = panicked(reason, "a handler panicked", log)
			}
		}()
		value, err := handler(ctx, call)
		if err == nil {
			var output json.RawMessage
			if output, err = encodeOutput(value); err == nil {
				got = outcome{output: output}
				return
			}
		}
		got.err = errors.New(err.Error())
	}()
	got := <-outcomes
	return got.output, got.err
}

// panicked logs a panic, and makes an error of it that is only a text.
func panicked(reason any, what string, log *zap.Logger) error {
	err := fmt.Errorf("panic: %s", fmt.Sprint(reason))
	log.Error(what, zap.Error(err), zap.ByteString("stack", debug.Stack()))
	return err
}

// encodeOutput is what a handler returned as it is sent: bytes are a text, as
// they are for the tools of the platform, and nothing is an empty one.
func encodeOutput(value any) (json.RawMessage, error) {
	switch v := value.(type) {
	case nil:
		value = ""
	case []byte:
		value = string(v)
	case json.RawMessage:
		value = string(v)
	}
	return json.Marshal(value)
}

// refuse is the handler of a tool that has none.
func refuse(answer Answer, tool string) Answer {
	return failure(answer, tools.ErrNoHandler, fmt.Sprintf("no handler for '%s'", tool))
}
