package activities

import (
	"context"
	"encoding/json"
	"fmt"

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
		d, err := hook(ctx, call)
		if err != nil {
			return Decision{}, err
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

func (a *Activities) after(ctx context.Context, call HookCall, out *tools.Output) (err error) {
	defer recovered(&err)
	for _, hook := range a.hooks.After {
		if err := hook(ctx, call, out); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, source Source, name string, call tools.Invocation) (out tools.Output, err error) {
	defer recovered(&err)
	return source.Execute(ctx, name, call)
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
