package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/devserver"
	"errand/cmd/errand/show"
	"errand/storage"
	"errand/worker"
)

const devHelp = `Start a Temporal development server and a worker, and run both until Ctrl-C.

A server that answers at the address already is used as it is. Without a
Temporal CLI on this machine one is built first, which takes minutes, once;
--prepare does that and nothing else. Data is kept in .errand/temporal.db below
the current directory, or nowhere with --memory.`

// devFlags are those of "errand dev".
type devFlags struct {
	port, uiPort int
	db           string
	memory       bool
	noWorker     bool
	prepare      bool
	logLevel     string
	// portGiven: --port was on the command line; ownServer names a flag that
	// only makes sense for a server that dev starts itself.
	portGiven bool
	ownServer string
}

func (a *app) devCommand() *cobra.Command {
	var f devFlags
	command := &cobra.Command{
		Use:     "dev",
		Short:   "Start a Temporal development server and a worker",
		Long:    devHelp,
		Example: "  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 {errand} dev --memory",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilStopped(cmd.Context())
			defer stop()
			f.portGiven = cmd.Flags().Changed("port")
			for _, name := range []string{"port", "ui-port", "db", "memory"} {
				if cmd.Flags().Changed(name) {
					f.ownServer = "--" + name
				}
			}
			if err := f.checkPorts(cmd.Flags().Changed); err != nil {
				return err
			}
			if f.prepare {
				return a.prepareDev(ctx)
			}
			return a.dev(ctx, f)
		},
	}
	flags := command.Flags()
	flags.IntVar(&f.port, "port", connect.DefaultPort, "port of the server on 127.0.0.1")
	flags.IntVar(&f.uiPort, "ui-port", 0, "port of the Web UI (default: the server's port + 1000)")
	flags.StringVar(&f.db, "db", ".errand/temporal.db", "file that keeps the data")
	flags.BoolVar(&f.memory, "memory", false, "keep the data in memory")
	flags.BoolVar(&f.noWorker, "no-worker", false, "start no worker")
	flags.BoolVar(&f.prepare, "prepare", false, "install what dev needs, print where it is, and end")
	flags.StringVar(&f.logLevel, "log-level", "warn", "of the worker, on standard error: debug, info, warn or error")
	return command
}

// checkPorts wants what is given to be a port. Zero, which elsewhere means any
// free one, would leave other commands without a way to find the server.
func (f devFlags) checkPorts(given func(flag string) bool) error {
	for _, one := range []struct {
		name string
		port int
	}{{"port", f.port}, {"ui-port", f.uiPort}} {
		if given(one.name) && !connect.IsPort(one.port) {
			return badUsage("--%s %d: write a port from 1 to %d", one.name, one.port, connect.MostPort)
		}
	}
	return nil
}

func (a *app) prepareDev(ctx context.Context) error {
	binary, err := devserver.Binary(ctx, a.std.err)
	if err != nil {
		return err
	}
	if a.json() {
		return a.document(map[string]string{"temporal_cli": binary})
	}
	return a.print("%s\n", binary)
}

// dev runs the server and the worker. The configuration is checked first: a
// mistake in it should not cost the start of a server.
func (a *app) dev(ctx context.Context, f devFlags) error {
	config, err := a.workerConfig(worker.Log{Level: f.logLevel, Format: "console"})
	if err != nil {
		return err
	}
	logger, err := worker.NewLogger(config.Log)
	if err != nil {
		return err
	}
	options, err := a.devOptions(f)
	if err != nil {
		return err
	}
	server, err := a.devServer(ctx, &options, f)
	if err != nil {
		return err
	}
	defer a.stopServer(context.WithoutCancel(ctx), server)
	if options.ExternalStorage, err = storage.Open(ctx, config.Storage); err != nil {
		return err
	}
	connected, err := a.dial(ctx, options, logger)
	if err != nil {
		return err
	}
	defer connected.Close()
	site := newSite(options, server, config, !f.noWorker)
	if err := a.showSite(site); err != nil {
		return err
	}
	if server == nil && !f.noWorker {
		a.warnOfWorkers(ctx, &connect.Connection{Client: connected, Queue: config.Temporal.TaskQueue})
	}
	if f.noWorker {
		return untilEnd(ctx, server, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		})
	}
	w, err := newWorker(config, connected, logger) //nolint:contextcheck // it only assembles the worker; Run gets the context
	if err != nil {
		return err
	}
	return untilEnd(ctx, server, w.Run)
}

// warnOfWorkers tells of workers that are on the task queue already: on a
// server that has been there before, they may be anybody's.
func (a *app) warnOfWorkers(ctx context.Context, c *connect.Connection) {
	others, err := c.Pollers(ctx)
	if err != nil || len(others) == 0 {
		return // the worker will say itself that it reaches no server
	}
	a.notice("%s task queue %q has %s already, or had a minute ago (%s): runs may go there, to other models and tools",
		a.paint(a.std.errTerminal).Wait("warning:"), c.Queue, show.Count(len(others), "worker"), show.Short(strings.Join(others, ", "), 100))
}

// untilEnd runs work until ctx ends or the server does.
func untilEnd(ctx context.Context, server *devserver.Server, work func(context.Context) error) error {
	if server == nil {
		return work(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- work(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-server.Done():
		cancel()
		return errors.Join(server.Ended(), <-ended)
	}
}

// stopServer ends the server that this command has started.
func (a *app) stopServer(ctx context.Context, server *devserver.Server) {
	if server == nil {
		return
	}
	if err := server.Stop(ctx); err != nil {
		a.notice("%s", err)
		return
	}
	if !a.json() {
		a.notice("Stopped.")
	}
}

// devOptions are how to reach the server, whether it is there already or not.
func (a *app) devOptions(f devFlags) (client.Options, error) {
	if f.portGiven && a.flags.address != "" {
		return client.Options{}, badUsage("--port and --address name the same thing: give one")
	}
	options, err := a.settings().Options()
	if f.portGiven {
		options.HostPort = fmt.Sprintf("127.0.0.1:%d", f.port)
	}
	return options, err
}

// plainOptions are for a server of our own: the keys and certificates of a
// profile are meant for another one.
func plainOptions(options client.Options) client.Options {
	return client.Options{HostPort: options.HostPort, Namespace: options.Namespace, Logger: worker.TemporalLogger(zap.NewNop())}
}
