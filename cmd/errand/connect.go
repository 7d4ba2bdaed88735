package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.uber.org/zap"

	"errand/starter"
	"errand/storage"
	"errand/worker"
	"errand/workflows/contract"
)

// dialLimit bounds the wait for a server that does not refuse, but is silent.
const dialLimit = 10 * time.Second

// connection is what the commands about runs work with.
type connection struct {
	client    client.Client
	starter   *starter.Starter
	address   string
	namespace string
	queue     string
	large     large
}

// large is where the payloads of runs are that are too large for Temporal.
type large struct {
	storage.Config
	// external is the same for the SDK.
	external converter.ExternalStorage
}

// large reads where payloads are from the variables, and the file, that workers
// are configured by.
func (a *app) large(ctx context.Context) (large, error) {
	config, err := worker.LoadStorage(a.environ)
	if err != nil {
		return large{}, err
	}
	external, err := storage.Open(ctx, config)
	return large{config, external}, err
}

// answers is the size in bytes of the largest output that answers a call.
func (l large) answers() int { return max(l.OutputLimit(), contract.MaxAnswerSize) }

// connect dials the server that the flags and the environment name.
func (a *app) connect(ctx context.Context) (*connection, error) {
	options, err := a.clientOptions()
	if err != nil {
		return nil, err
	}
	found, err := a.large(ctx)
	if err != nil {
		return nil, err
	}
	options.ExternalStorage = found.external
	connected, err := a.dial(ctx, options, zap.NewNop())
	if err != nil {
		return nil, err
	}
	queue := a.taskQueue()
	return &connection{
		client: connected, starter: starter.New(connected, starter.TaskQueue(queue), starter.LargeAnswers(found.answers())),
		address: options.HostPort, namespace: options.Namespace, queue: queue, large: found,
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
	return options, checkAddress(options.HostPort)
}

// checkAddress finds what cannot be meant; the rest is for the dialler, which
// knows other forms than host:port too.
func checkAddress(address string) error {
	if !strings.Contains(address, ":") {
		return badUsage("address %q: write host:port, for example %s", address, defaultAddress)
	}
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil
	}
	if port, err := strconv.Atoi(text); err == nil && !isPort(port) {
		return badUsage("address %q: its port must be from 1 to %d", address, mostPort)
	}
	return nil
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
	worker.AnyWorkflowID(&options)
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

// staleAfter is when a worker that has not asked for work counts as gone. The
// server lists it for five minutes; a live one asks again every minute.
const staleAfter = 75 * time.Second

// workers counts those that wait for runs.
func (c *connection) workers(ctx context.Context) (int, error) {
	live, err := c.pollers(ctx)
	return len(live), err
}

// pollers are the names of the workers that wait for runs.
func (c *connection) pollers(ctx context.Context) ([]string, error) {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	queue, err := c.client.DescribeTaskQueue(limited, c.queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, err
	}
	var live []string
	for _, poller := range queue.GetPollers() {
		if time.Since(poller.GetLastAccessTime().AsTime()) < staleAfter {
			live = append(live, poller.GetIdentity())
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
	if strings.TrimSpace(id) == "" {
		return badUsage("the run is empty: write its id, or %s for the newest run", lastRun)
	}
	return a.withConnection(ctx, func(c *connection) error {
		run, err := c.run(ctx, id)
		if err != nil {
			return err
		}
		return about(run.ID(), do(c, run))
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
		return c.noReply(ctx, run.ID(), do(run))
	})
}
