package main

import (
	"context"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/starter"
)

// connect dials the server that the flags and the environment name.
func (a *app) connect(ctx context.Context) (*connect.Connection, error) {
	if options, err := a.settings().Options(); err == nil {
		a.address = options.HostPort
	}
	return a.settings().Open(ctx)
}

// dial connects to a server with options that are not those of the command.
func (a *app) dial(ctx context.Context, options client.Options, logger *zap.Logger) (client.Client, error) {
	a.address = options.HostPort
	return connect.Dial(ctx, options, logger)
}

const (
	// watchDelay is how long a run may be still before it is asked why.
	watchDelay = 5 * time.Second
	// replyDelay is how long a worker may take to reply before it is said that
	// there is none.
	replyDelay = 2 * time.Second
)

// watcher looks for workers.
func (a *app) watcher(c *connect.Connection, delay time.Duration) *diagnose.Watcher {
	return diagnose.New(c.Workers, delay, c.Queue, a.usage("worker"))
}

// runWatcher is watcher for a run that somebody follows.
func (a *app) runWatcher(c *connect.Connection, runID string) *diagnose.Watcher {
	w := a.watcher(c, watchDelay)
	if !a.json() {
		w.Causes = func(ctx context.Context) ([]diagnose.Cause, error) {
			return diagnose.Causes(ctx, c.Client, c.Namespace, runID, a.paint(a.std.errTerminal))
		}
	}
	return w
}

// withConnection runs what needs a connection, and closes it afterwards.
func (a *app) withConnection(ctx context.Context, do func(*connect.Connection) error) error {
	c, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// withRun is withConnection for the run that an argument names.
func (a *app) withRun(ctx context.Context, id string, do func(*connect.Connection, *starter.Run) error) error {
	if strings.TrimSpace(id) == "" {
		return badUsage("the run is empty: write its id, or %s for the newest run", connect.Last)
	}
	return a.withConnection(ctx, func(c *connect.Connection) error {
		run, err := c.Run(ctx, id)
		if err != nil {
			return err
		}
		return connect.About(run.ID(), do(c, run))
	})
}

// withWorker is withRun for what a worker has to reply to.
func (a *app) withWorker(ctx context.Context, id string, do func(*starter.Run) error) error {
	return a.withRun(ctx, id, func(c *connect.Connection, run *starter.Run) error {
		watching, stop := context.WithCancel(ctx)
		defer stop()
		missing := a.watcher(c, replyDelay)
		go missing.Watch(watching, func(line string) { a.notice("%s", line) })
		return diagnose.NoReply(ctx, c.Client, run.ID(), do(run))
	})
}
