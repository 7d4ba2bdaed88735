// Command toolclient serves the calls of all runs of a task queue, and acts on
// the world of the tests (WORLD_URL) in each. Tests kill it. LEASE is the lease
// of its claims, OWNER its name.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/starter"
	"errand/worker"
)

func main() {
	if err := run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	lease, err := time.ParseDuration(os.Getenv("LEASE"))
	if err != nil {
		return err
	}
	connected, err := client.Dial(client.Options{
		HostPort: os.Getenv("TEMPORAL_ADDRESS"), Logger: worker.TemporalLogger(zap.NewNop()),
	})
	if err != nil {
		return err
	}
	defer connected.Close()
	log, err := zap.NewDevelopment(zap.IncreaseLevel(zap.InfoLevel))
	if err != nil {
		return err
	}
	s := starter.New(connected, starter.TaskQueue(os.Getenv("ERRAND_TASK_QUEUE")), starter.Logger(log))
	fmt.Fprintln(os.Stderr, "serving")
	return s.ServeAll(ctx, starter.Handlers{"ask": ask},
		starter.Owner(os.Getenv("OWNER")), starter.Lease(lease), starter.Concurrency(24))
}

// ask begins something in the world and ends it, or leaves it.
func ask(ctx context.Context, call starter.Call) (any, error) {
	for _, step := range []string{"/begin", "/end"} {
		if err := post(ctx, step, call); err != nil {
			return nil, errors.Join(err, post(context.WithoutCancel(ctx), "/leave", call))
		}
	}
	return "answer to " + call.Key, nil
}

func post(ctx context.Context, path string, call starter.Call) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("WORLD_URL")+path, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Idempotency-Key", call.Key)
	request.Header.Set("Owner", os.Getenv("OWNER"))
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, reply.Body)
	return errors.Join(err, reply.Body.Close())
}
