package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"errand/tools"
)

// Func makes an Execute function of a typed one: the arguments are decoded into
// In, and what handler returns is the content for the model, or the whole
// output if it is a tools.Output. Arguments that In cannot hold are an error
// that names the field. Invocation has the rest of the call.
func Func[In any](handler func(ctx context.Context, in In) (any, error)) func(context.Context, tools.Invocation) (tools.Output, error) {
	return func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
		var in In
		if err := decode(call.Arguments, &in); err != nil {
			return tools.Output{}, err
		}
		result, err := handler(ctx, in)
		if err != nil {
			return tools.Output{}, err
		}
		if output, ok := result.(tools.Output); ok {
			return output, nil
		}
		return tools.Output{Content: result}, nil
	}
}

func decode(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	err := json.Unmarshal(arguments, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("argument %s: a %s does not fit, send a value for the Go type %s", wrong.Field, wrong.Value, wrong.Type)
	}
	if err != nil {
		return fmt.Errorf("the arguments cannot be decoded: %w", err)
	}
	return nil
}

// Execute does the work of a call; Tool.Execute says what is asked of it.
type Execute func(ctx context.Context, call tools.Invocation) (tools.Output, error)

// Wrap makes a tool of another one: around gets that tool's Execute and returns
// the one that takes its place, to do something before and after, or instead.
// Name, schemas, capabilities, effect and everything else stay as they were;
// change them on the result where the wrapping changes what they say.
//
// A tool without Execute, and one that around makes nothing of, cannot be
// registered: NewSource says so.
func Wrap(tool Tool, around func(next Execute) Execute) Tool {
	if tool.Execute == nil || around == nil {
		tool.Execute = nil
		return tool
	}
	tool.Execute = around(tool.Execute)
	return tool
}
