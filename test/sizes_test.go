package test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
	"errand/tools"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

// batchOnce is a model that asks for one batch, and is then done.
type batchOnce struct{ items []json.RawMessage }

func (m batchOnce) Infer(_ context.Context, request worker.ModelRequest) (worker.ModelAnswer, error) {
	if len(request.Items) == 1 {
		return worker.ModelAnswer{Items: m.items}, nil
	}
	return worker.ModelAnswer{Items: []json.RawMessage{item.Message("assistant", "done")}}, nil
}

func manyCalls(n int, arguments string) batchOnce {
	var m batchOnce
	for range n {
		m.items = append(m.items, item.FunctionCall("", "put", arguments))
	}
	return m
}

func put(output string) worker.Tool {
	return worker.Tool{
		Name: "put", Effect: tools.EffectIdempotent, ParallelSafe: true, Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: output}, nil
		},
	}
}

// TestNoSizeWedgesARun plays batches whose parts are each within their limits,
// and together beyond what a server takes at once.
func TestNoSizeWedgesARun(t *testing.T) {
	t.Parallel()
	quotes := json.RawMessage(`{"s":"` + strings.Repeat(`\"`, 5800) + `"}`) // twice as long when it is stored
	enlarge := worker.WithBeforeToolCall(func(context.Context, worker.HookCall) (worker.Decision, error) {
		d := worker.Allow()
		d.Arguments = quotes
		return d, nil
	})
	for name, c := range map[string]struct {
		model   batchOnce
		output  string
		options []worker.Option
		want    contract.Status
	}{
		"128 calls of 10 KB":                        {model: manyCalls(128, `{"s":"`+strings.Repeat("x", 10_000)+`"}`), output: "ok", want: contract.Completed},
		"128 calls that a hook makes large":         {model: manyCalls(128, `{}`), output: "ok", options: []worker.Option{enlarge}, want: contract.Completed},
		"an answer of 128 calls of 40 KB":           {model: manyCalls(128, `{"s":"`+strings.Repeat("x", 40_000)+`"}`), want: contract.Failed},
		"outputs of 1 MB, more than a history has":  {model: manyCalls(asked(12, 56), `{}`), output: strings.Repeat("x", 1_000_000), want: contract.Completed},
		"one call whose arguments are over a limit": {model: manyCalls(1, `{"s":"`+strings.Repeat("x", 900<<10)+`"}`), want: contract.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, harness.Always(harness.Say("unused")))
			config := s.config("")
			config.Models = nil
			s.workWith(config, append(c.options, worker.WithModel(c.model), worker.WithTools(put(c.output)))...)
			run := s.startRaw(`{"model":"m","input":"go","tools":[{"type":"platform","name":"put"}],"run":{"max_parallel_calls":100}}`)
			result, err := run.Result(within(t))
			require.NotNil(t, result, "%v", err)
			require.Equal(t, c.want, result.Status, "%v", err)
			if c.want == contract.Failed {
				require.Equal(t, contract.ErrLimitExceeded, result.Error.Code)
			}
		})
	}
}
