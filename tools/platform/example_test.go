package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"errand/tools"
	"errand/tools/platform"
)

type order struct {
	Order string `json:"order"`
}

var refund = platform.Tool{
	Name: "refund", Effect: tools.EffectIdempotent,
	Execute: platform.Func(func(_ context.Context, in order) (any, error) {
		return "refunded " + in.Order, nil
	}),
}

// An audit log sees every call and what came of it.
func ExampleWrap() {
	audited := platform.Wrap(refund, func(next platform.Execute) platform.Execute {
		return func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
			output, err := next(ctx, call)
			fmt.Printf("audit: %s %s: %v %v\n", call.Key, call.Arguments, output.Content, err)
			return output, err
		}
	})
	source, err := platform.NewSource(audited)
	if err != nil {
		panic(err)
	}
	_, _ = source.Execute(context.Background(), "refund",
		tools.Invocation{Key: "run_1/1/0", Arguments: json.RawMessage(`{"order":"A7"}`)})
	// Output:
	// audit: run_1/1/0 {"order":"A7"}: refunded A7 <nil>
}

// A rate limit refuses a call in words that tell the model what to do.
func ExampleWrap_rateLimit() {
	var left atomic.Int64
	left.Store(1) // a real limit fills it up as time goes by
	limited := platform.Wrap(refund, func(next platform.Execute) platform.Execute {
		return func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
			if left.Add(-1) < 0 {
				return tools.Output{}, errors.New("no more refunds this hour: tell the customer that a person will see to it")
			}
			return next(ctx, call)
		}
	})
	limited.Description = "Refunds an order. A few orders an hour."
	source, err := platform.NewSource(limited)
	if err != nil {
		panic(err)
	}
	for _, order := range []string{"A7", "B8"} {
		arguments, _ := json.Marshal(map[string]string{"order": order})
		output, err := source.Execute(context.Background(), "refund", tools.Invocation{Arguments: arguments})
		fmt.Println(output.Content, err)
	}
	// Output:
	// refunded A7 <nil>
	// <nil> no more refunds this hour: tell the customer that a person will see to it
}
