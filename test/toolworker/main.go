// Command toolworker is a worker with tools that act on the world of the tests
// (WORLD_URL): one of each effect, one that reconciles, two that share a resource,
// and two that work in a room which is opened for each run. Crash tests kill it.
// PLANT names a fault that it then has, to prove that the tests find it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"errand/tools"
	"errand/worker"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := worker.LoadConfig(os.Environ())
	if err != nil {
		return err
	}
	w, err := worker.New(config, worker.WithClientOptions(slowHeartbeats), worker.WithClientOptions(toldTasks), worker.WithTools(
		act("look", tools.EffectRead), act("apply", tools.EffectIdempotent), act("pay", tools.EffectOnce), settling(), fill(),
		inRoom("put", tools.EffectIdempotent), inRoom("take", tools.EffectOnce),
	), worker.WithTools(boxes()...), worker.WithDelegate(1), worker.WithBeforeToolCall(guard))
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// guard asks for a person before the tool that GUARD names.
func guard(_ context.Context, c worker.HookCall) (worker.Decision, error) {
	if c.Call.Tool == os.Getenv("GUARD") {
		return worker.Ask("it is guarded"), nil
	}
	return worker.Allow(), nil
}

// slowHeartbeats lets the replies to heartbeats take as long as
// SLOW_HEARTBEATS says; the server has handled them at once.
func slowHeartbeats(o *client.Options) {
	delay, err := time.ParseDuration(os.Getenv("SLOW_HEARTBEATS"))
	if err != nil {
		return
	}
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(
		func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
			err := invoke(ctx, method, request, reply, cc, options...)
			if strings.Contains(method, "RecordActivityTaskHeartbeat") {
				select {
				case <-time.After(delay):
				case <-ctx.Done():
				}
			}
			return err
		}))
}
