package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"errand/activities/usercode"
	"errand/tools"
)

// Hooks are a worker's own rules around every call, in the order given.
type Hooks struct {
	Before []BeforeToolCall
	After  []AfterToolCall
	// Compact is nil where the default is wanted.
	Compact Compact
}

// HookCall is the call that a hook is asked about.
type HookCall struct {
	RunID      string
	Call       tools.Call
	Descriptor tools.Descriptor
	// Arguments are coerced and valid.
	Arguments json.RawMessage
}

// BeforeToolCall decides about a call before it is executed or handed over.
// Hooks of one batch run one after the other, in origin order, before any of
// its calls starts. An error fails that call only.
type BeforeToolCall func(ctx context.Context, call HookCall) (Decision, error)

// AfterToolCall may change the output of a gateway-owned call that has run. An
// error fails that call only.
type AfterToolCall func(ctx context.Context, call HookCall, output *tools.Output) error

// Verdict is what a before-hook decided.
type Verdict string

const (
	// VerdictAllow lets the call go on.
	VerdictAllow Verdict = "allow"
	// VerdictBlock refuses it.
	VerdictBlock Verdict = "block"
	// VerdictAsk waits for a person's approval.
	VerdictAsk Verdict = "ask"
)

// Decision is the answer of a before-hook. The zero Decision allows.
type Decision struct {
	Verdict Verdict
	// Reason is told to the model (block) or to the person (ask).
	Reason string
	// Arguments replace the call's when not nil. They are executed without
	// being validated again.
	Arguments json.RawMessage
}

// Allow lets the call go on.
func Allow() Decision { return Decision{Verdict: VerdictAllow} }

// Block refuses the call; the model reads the reason.
func Block(reason string) Decision { return Decision{Verdict: VerdictBlock, Reason: reason} }

// Ask waits until somebody approves or denies the call.
func Ask(reason string) Decision { return Decision{Verdict: VerdictAsk, Reason: reason} }

// With changes the arguments of the call.
func (d Decision) With(arguments json.RawMessage) Decision {
	d.Arguments = arguments
	return d
}

// before asks the hooks one after the other. The first that does not allow
// ends it; arguments that one changed are what the next one sees.
func (a *Activities) before(ctx context.Context, call HookCall) (d Decision, err error) {
	defer usercode.Recover(&err)
	var changed json.RawMessage
	for _, hook := range a.hooks.Before {
		d, err := callHook(ctx, hook, call)
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

// callHook asks one hook beside a watch on its time. One that hangs is left
// behind.
func callHook(ctx context.Context, hook BeforeToolCall, call HookCall) (Decision, error) {
	limited, cancel := context.WithTimeout(ctx, hookLimit)
	defer cancel()
	answers := usercode.Go(func() (Decision, error) {
		d, err := hook(limited, call)
		if err != nil {
			err = errors.New(err.Error()) // its methods may panic, so they are called here
		}
		return d, err
	})
	select {
	case got := <-answers:
		return got.Value, got.Err
	case <-limited.Done():
		if ctx.Err() != nil {
			return Decision{}, ctx.Err()
		}
		return Decision{}, fmt.Errorf("it did not answer within %s", hookLimit)
	}
}

func (a *Activities) after(ctx context.Context, call HookCall, out *tools.Output) (err error) {
	defer usercode.Recover(&err)
	for _, hook := range a.hooks.After {
		if err := hook(ctx, call, out); err != nil {
			return err
		}
	}
	return nil
}
