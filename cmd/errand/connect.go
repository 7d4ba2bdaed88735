package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.uber.org/zap"

	"errand/starter"
	"errand/worker"
)

// lastRun stands for the newest run where an id is wanted.
const lastRun = "last"

// dialLimit bounds the wait for a server that does not refuse, but is silent.
const dialLimit = 10 * time.Second

// connection is what the commands about runs work with.
type connection struct {
	client    client.Client
	starter   *starter.Starter
	address   string
	namespace string
	queue     string
}

// connect dials the server that the flags and the environment name.
func (a *app) connect(ctx context.Context) (*connection, error) {
	options, err := a.clientOptions()
	if err != nil {
		return nil, err
	}
	connected, err := a.dial(ctx, options, zap.NewNop())
	if err != nil {
		return nil, err
	}
	queue := a.taskQueue()
	return &connection{
		client: connected, starter: starter.New(connected, starter.TaskQueue(queue)),
		address: options.HostPort, namespace: options.Namespace, queue: queue,
	}, nil
}

// clientOptions are those of the environment and the profile, with the flags
// before them.
func (a *app) clientOptions() (client.Options, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{
		ConfigFileProfile: a.flags.profile, EnvLookup: environment{a},
	})
	if err != nil {
		return options, fmt.Errorf("connection settings: %w: check --profile, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_*", err)
	}
	for _, set := range []struct {
		target          *string
		value, fallback string
	}{
		{&options.HostPort, a.flags.address, defaultAddress},
		{&options.Namespace, a.flags.namespace, client.DefaultNamespace},
	} {
		if set.value != "" {
			*set.target = set.value
		}
		if *set.target == "" {
			*set.target = set.fallback
		}
	}
	if !strings.Contains(options.HostPort, ":") {
		return options, badUsage("address %q: write host:port, for example %s", options.HostPort, defaultAddress)
	}
	return options, nil
}

// environment lets the profiles of the temporal CLI read this invocation's
// variables.
type environment struct{ app *app }

// Environ lists the variables.
func (e environment) Environ() []string { return e.app.environ }

// LookupEnv finds one; an empty one counts as not set.
func (e environment) LookupEnv(name string) (string, bool) {
	value := e.app.getenv(name)
	return value, value != ""
}

func (a *app) dial(ctx context.Context, options client.Options, logger *zap.Logger) (client.Client, error) {
	a.address = options.HostPort
	options.Logger = worker.TemporalLogger(logger)
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	connected, err := client.DialContext(limited, options)
	switch {
	case err == nil:
		return connected, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil || connectionFailed(err):
		return nil, &unreachableError{options.HostPort, err}
	}
	return nil, fmt.Errorf("connect to Temporal at %s: %w", options.HostPort, err)
}

func (c *connection) close() { c.client.Close() }

// run is the handle of the run that an argument names.
func (c *connection) run(ctx context.Context, id string) (*starter.Run, error) {
	if id != lastRun {
		return c.starter.Attach(id), nil
	}
	for newest, err := range c.starter.List(ctx, starter.ListQuery{Limit: 1}) {
		if err != nil {
			return nil, err
		}
		return c.starter.Attach(newest.ID), nil
	}
	return nil, fmt.Errorf("task queue %q has had no runs: %w", c.queue, starter.ErrNotFound)
}

// staleAfter is when a worker that has not asked for work counts as gone. The
// server lists it for five minutes; a live one asks again every minute.
const staleAfter = 75 * time.Second

// workers counts those that wait for runs.
func (c *connection) workers(ctx context.Context) (int, error) {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	queue, err := c.client.DescribeTaskQueue(limited, c.queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return 0, err
	}
	live := 0
	for _, poller := range queue.GetPollers() {
		if time.Since(poller.GetLastAccessTime().AsTime()) < staleAfter {
			live++
		}
	}
	return live, nil
}

// withConnection runs what needs a connection, and closes it afterwards.
func (a *app) withConnection(ctx context.Context, do func(*connection) error) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	return do(c)
}

// withRun is withConnection for the run that an argument names.
func (a *app) withRun(ctx context.Context, id string, do func(*connection, *starter.Run) error) error {
	return a.withConnection(ctx, func(c *connection) error {
		run, err := c.run(ctx, id)
		if err != nil {
			return err
		}
		return do(c, run)
	})
}

// replyPatience is how long a worker may take to reply before it is said that
// there is none.
const replyPatience = 2 * time.Second

// withWorker is withRun for what a worker has to reply to.
func (a *app) withWorker(ctx context.Context, id string, do func(*starter.Run) error) error {
	return a.withRun(ctx, id, func(c *connection, run *starter.Run) error {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		missing := a.newIdle(c, replyPatience)
		go missing.watch(watching, func(line string) { a.notice("%s", line) })
		return do(run)
	})
}
