package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
)

// BenchmarkCancel measures from a cancel request to the end of the run, with a
// tool that honours its context (aim: median under 2 s) and one that does not
// (aim: bounded by cancel_grace, 10 s, and what it takes to end).
func BenchmarkCancel(b *testing.B) {
	server := harness.Temporal(b)
	c, err := client.Dial(client.Options{HostPort: server.Address, Logger: worker.TemporalLogger(zap.NewNop())})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	for _, deaf := range []bool{false, true} {
		aim, runs := 2*time.Second, 11
		if deaf {
			aim, runs = 12*time.Second, 3
		}
		var all []float64
		for range runs {
			all = append(all, cancelOnce(b, c, fmt.Sprintf("%s-%t-%d", b.Name(), deaf, len(all)), deaf))
		}
		fmt.Printf("cancel to closed, tool ignores its context: %-5t  median %.2f s of %d  (aim: under %s)\n", deaf, median(all)/1000, runs, aim)
		if median(all) > ms(aim) {
			b.Errorf("median %.0f ms, aim %s", median(all), aim)
		}
	}
}

func cancelOnce(b *testing.B, c client.Client, queue string, deaf bool) float64 {
	b.Helper()
	began, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	config := worker.DefaultConfig()
	config.Temporal.TaskQueue = queue
	config.Models = []worker.Endpoint{{Match: "*", BaseURL: harness.StartModel(b, harness.Rounds(harness.Call("slow", `{}`))).URL(), API: "responses"}}
	w, err := worker.New(config, worker.WithClient(c), worker.WithLogger(zap.NewNop()), worker.WithTools(worker.Tool{
		Name: "slow", Effect: tools.EffectOnce,
		Execute: func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
			close(began)
			if deaf {
				<-end
				return tools.Output{}, nil
			}
			<-ctx.Done()
			return tools.Output{}, ctx.Err()
		},
	}))
	require.NoError(b, err)
	require.NoError(b, w.Start(b.Context()))
	b.Cleanup(w.Stop)
	run, err := starter.New(c, starter.TaskQueue(queue)).Start(b.Context(), starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("slow")},
	})
	require.NoError(b, err)
	<-began
	asked := time.Now()
	require.NoError(b, run.Cancel(b.Context()))
	_, err = run.Result(b.Context())
	require.ErrorIs(b, err, starter.ErrCancelled)
	return ms(time.Since(asked))
}
