// Package soak runs a worker for a long time and looks at what it keeps.
// `make soak` runs it whole; `make test` runs enough to know that it works.
package soak

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/tools/item"
	"errand/worker"
)

var (
	runs  = flag.Int("runs", 300, "how many runs")
	least = flag.Duration("for", 0, "go on for at least so long")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The SDK keeps 10,000 runs in memory by default: what grows until then is
	// its cache and not a leak.
	sdkworker.SetStickyWorkflowCacheSize(cached)
	code := m.Run()
	harness.StopShared()
	os.Exit(code)
}

const (
	cached     = 100
	atOnce     = 20
	cacheBytes = 4 << 20
	// noise is how much more than after the warm-up may be kept: what the
	// runtime, the connection and the test itself hold differs from look to look.
	noise = 16 << 20
	// patience bounds every run.
	patience = 2 * time.Minute
)

// TestAWorkersMemoryIsFlat runs many short runs, all of them with a
// conversation that stays in the worker's cache for a while.
func TestAWorkersMemoryIsFlat(t *testing.T) {
	s := start(t)
	warm := *runs / 3
	s.play(t, warm)
	before := look()
	begin := time.Now()
	done := 0
	for done < *runs-warm || time.Since(begin) < *least {
		s.play(t, atOnce*5)
		done += atOnce * 5
	}
	after := look()
	_, _ = fmt.Fprintf(os.Stdout, "%d runs, then %d in %s: heap %.1f MiB, then %.1f MiB; goroutines %d, then %d\n",
		warm, done, time.Since(begin).Round(time.Second), before.mib(), after.mib(), before.goroutines, after.goroutines)
	require.Less(t, after.heap, before.heap+cacheBytes+noise, "the worker keeps more than its caches may hold")
	require.Less(t, after.goroutines, before.goroutines+50, "goroutines are left behind")
}

// footprint is what a process keeps once its garbage is gone.
type footprint struct {
	heap       uint64
	goroutines int
}

func look() footprint {
	var m runtime.MemStats
	for range 3 { // finalisers free more the next time
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return footprint{m.HeapAlloc, runtime.NumGoroutine()}
}

func (f footprint) mib() float64 { return float64(f.heap) / (1 << 20) }

type stage struct{ starter *starter.Starter }

func start(t *testing.T) *stage {
	t.Helper()
	server := harness.Temporal(t)
	c, err := client.Dial(client.Options{HostPort: server.Address, Logger: worker.TemporalLogger(zap.NewNop())})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	config := worker.DefaultConfig()
	config.Temporal.TaskQueue = t.Name()
	config.Limits.MemoryBytes = cacheBytes
	w, err := worker.New(config, worker.WithClient(c), worker.WithLogger(zap.NewNop()), worker.WithModel(model{}), worker.WithTools(worker.Tool{
		Name: "read", Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: strings.Repeat("a line of text\n", 100)}, nil
		},
	}))
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
	t.Cleanup(w.Stop)
	return &stage{starter.New(c, starter.TaskQueue(t.Name()))}
}

// model asks for two calls, twice, and then is done.
type model struct{}

func (model) Infer(_ context.Context, request worker.ModelRequest) (worker.ModelAnswer, error) {
	round := (len(request.Items)-1)/4 + 1
	if round > 2 {
		return worker.ModelAnswer{Items: []json.RawMessage{item.Message("assistant", "done")}}, nil
	}
	return worker.ModelAnswer{Items: []json.RawMessage{
		item.FunctionCall(fmt.Sprintf("%d-1", round), "read", "{}"), item.FunctionCall(fmt.Sprintf("%d-2", round), "read", "{}"),
	}}, nil
}

// play starts so many runs, some at once, and waits for their results.
func (s *stage) play(t *testing.T, n int) {
	t.Helper()
	var wg sync.WaitGroup
	places := make(chan struct{}, atOnce)
	errs := make(chan error, n)
	for range n {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			errs <- s.one(t.Context())
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}

func (s *stage) one(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("read")}})
	if err != nil {
		return err
	}
	result, err := run.Result(ctx)
	if err != nil {
		return err
	}
	if result.OutputText != "done" {
		return fmt.Errorf("run %s said %q", run.ID(), result.OutputText)
	}
	return nil
}
