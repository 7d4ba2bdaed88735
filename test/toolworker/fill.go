package main

import (
	"context"
	"encoding/json"

	"errand/test/world"
	"errand/tools"
	"errand/worker"
)

// fill is a tool with an output as long as its argument says.
func fill() worker.Tool {
	return worker.Tool{
		Name: "fill", Description: "Says much.", Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: func(_ context.Context, call tools.Invocation) (tools.Output, error) {
			var arguments struct{ Seed, Bytes int }
			err := json.Unmarshal(call.Arguments, &arguments)
			return tools.Output{Content: world.Noise(arguments.Seed, arguments.Bytes)}, err
		},
	}
}
