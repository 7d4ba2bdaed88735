package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.uber.org/zap"

	"errand/starter"
)

const serveHelp = `Answer the calls of all runs of the task queue with programs, those that are
open and those that come, until SIGINT or SIGTERM. --query serves the runs that
a Temporal visibility query picks instead.

--exec name=program works as with "{errand} run": the program reads the arguments
as JSON on standard input and prints the answer. Calls to other tools are left
to others; --no-handler refuse answers them with an error for the model, fail
ends the command.

Start it on several machines to share the work: each call is claimed before its
program starts, and the claim renewed while it runs. When a machine dies, its
calls are taken over after the lease, so a call may be executed twice: ERRAND_KEY
is the same both times.

When it is stopped, running programs may finish; a second Ctrl-C ends it at once.
Each call is reported on standard error, with -o json as a line on standard
output.`

const serveExample = `  {errand} serve --exec 'stock=./stock.sh --depot oslo' --exec gate=./gate.py
  {errand} serve --exec gate=./gate.py --query "StartTime > '2026-01-01T00:00:00Z'"`

// serveFlags are those of "errand serve".
type serveFlags struct {
	programs            []string
	query, owner        string
	noHandler           string
	concurrency, perRun int
	lease               time.Duration
}

var noHandlerPolicies = map[string]starter.NoHandlerPolicy{
	"leave": starter.Leave, "refuse": starter.Refuse, "fail": starter.Fail,
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	command := &cobra.Command{
		Use:     "serve --exec name=program…",
		Short:   "Answer the calls of all runs with programs",
		Long:    serveHelp,
		Example: serveExample,
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			programs, options, err := f.check()
			if err != nil {
				return err
			}
			ctx, stop := untilStopped(cmd.Context())
			defer stop()
			return a.withConnection(ctx, func(c *connection) error {
				return a.serve(ctx, c, programs, f.query, options)
			})
		},
	}
	flags := command.Flags()
	flags.StringArrayVar(&f.programs, "exec", nil, "name=program: answer the calls of a tool with a program (repeatable)")
	flags.StringVar(&f.query, "query", "", "serve the runs that this visibility query picks, not those of the task queue")
	flags.StringVar(&f.noHandler, "no-handler", "leave", "what becomes of calls to other tools: leave, refuse or fail")
	flags.IntVar(&f.concurrency, "concurrency", 20, "run at most this many programs at the same time")
	flags.IntVar(&f.perRun, "per-run", 5, "and at most this many for one run")
	flags.DurationVar(&f.lease, "lease", 30*time.Second, "how long a call waits for the next process when this one dies")
	flags.StringVar(&f.owner, "owner", "", "name to claim under; one that comes back takes its claims over at once (default: a new one)")
	return command
}

// check reads the flags before anything is dialled.
func (f serveFlags) check() (programs, []starter.ServeOption, error) {
	policy, known := noHandlerPolicies[f.noHandler]
	switch {
	case len(f.programs) == 0:
		return nil, nil, badUsage("nothing to serve with: name a program with --exec tool=program")
	case !known:
		return nil, nil, badUsage("--no-handler %q: write leave, refuse or fail", f.noHandler)
	case f.concurrency < 1:
		return nil, nil, badUsage("--concurrency %d: must be at least 1", f.concurrency)
	case f.perRun < 1:
		return nil, nil, badUsage("--per-run %d: must be at least 1", f.perRun)
	case f.lease < time.Second:
		return nil, nil, badUsage("--lease %s: must be at least 1s", f.lease)
	}
	programs, err := parsePrograms(f.programs)
	options := []starter.ServeOption{
		starter.OnNoHandler(policy), starter.Concurrency(f.concurrency), starter.PerRun(f.perRun), starter.Lease(f.lease),
	}
	if f.owner != "" {
		options = append(options, starter.Owner(f.owner))
	}
	if f.query != "" {
		options = append(options, starter.Matching(f.query))
	}
	return programs, options, err
}

// serve answers calls until ctx ends.
func (a *app) serve(ctx context.Context, c *connection, programs programs, query string, options []starter.ServeOption) error {
	tools := strings.Join(programs.names(), ", ")
	idle := &idle{}
	if query == "" {
		a.notice("serving %s for the runs of task queue %q", tools, c.queue)
		idle = a.newIdle(c, idlePatience)
	} else {
		a.notice("serving %s for the runs that match: %s", tools, query)
	}
	watching, rest := context.WithCancel(ctx)
	defer rest()
	go idle.watch(watching, func(line string) { a.notice("%s", line) })
	log := zap.New(&complaints{told: &toldLast{}, tell: func(line string) { a.notice("%s", line) }})
	s := starter.New(c.client, starter.TaskQueue(c.queue), starter.Logger(log), starter.LargeAnswers(c.large.answers()))
	err := s.ServeAll(ctx, a.reported(ctx, programs.handlers(c.large.answers()), idle), options...)
	var (
		refused *serviceerror.InvalidArgument
		missing *starter.NoHandlerError
	)
	switch {
	case ctx.Err() != nil:
		a.notice("stopped; open calls wait for whoever serves them next")
		return nil
	case errors.As(err, &refused) && query != "":
		return badUsage("--query: Temporal refuses it: %s", refused.Message)
	case errors.As(err, &missing):
		return fmt.Errorf("a call waits for the tool %q, which no --exec answers; it is left open", missing.Tool)
	}
	return err
}
