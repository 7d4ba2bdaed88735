package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/program"
	"errand/cmd/errand/show"
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
			return a.withConnection(ctx, func(c *connect.Connection) error {
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
func (f serveFlags) check() (program.Set, []starter.ServeOption, error) {
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
func (a *app) serve(ctx context.Context, c *connect.Connection, programs program.Set, query string, options []starter.ServeOption) error {
	tools := strings.Join(programs.Names(), ", ")
	watcher := &diagnose.Watcher{}
	if query == "" {
		a.notice("serving %s for the runs of task queue %q", tools, c.Queue)
		watcher = a.watcher(c, watchDelay)
	} else {
		a.notice("serving %s for the runs that match: %s", tools, query)
	}
	watching, rest := context.WithCancel(ctx)
	defer rest()
	go watcher.Watch(watching, func(line string) { a.notice("%s", line) })
	log := zap.New(&warningCore{told: &lastWarning{}, tell: func(line string) { a.notice("%s", line) }})
	s := starter.New(c.Client, starter.TaskQueue(c.Queue), starter.Logger(log), starter.LargeAnswers(c.MaxAnswer))
	err := s.ServeAll(ctx, a.reported(ctx, programs.Handlers(c.MaxAnswer), watcher), options...)
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

// servedCall is what "errand serve" reports of a call that it has executed.
type servedCall struct {
	RunID      string `json:"run_id"`
	ActionID   string `json:"action_id"`
	ToolCallID string `json:"tool_call_id"`
	Tool       string `json:"tool"`
	Key        string `json:"key"`
	Status     string `json:"status"` // succeeded, failed or interrupted
	Error      string `json:"error,omitempty"`
	DurationMS int64  `json:"duration_ms"`
}

// reported has every call reported when its program has ended. A program that
// runs when the command is stopped may finish: only the end of its call, or
// the loss of its claim, kills it.
func (a *app) reported(stopping context.Context, handlers starter.Handlers, watcher *diagnose.Watcher) starter.Handlers {
	var printing sync.Mutex
	all := starter.Handlers{}
	for name, handler := range handlers {
		all[name] = func(ctx context.Context, call starter.Call) (any, error) {
			began := time.Now()
			working, done := outlasting(ctx, stopping)
			defer done()
			output, err := handler(working, call)
			one := servedCall{
				RunID: call.RunID, ActionID: call.ActionID, ToolCallID: call.ToolCallID, Tool: name, Key: call.Key,
				Status: "succeeded", DurationMS: time.Since(began).Milliseconds(),
			}
			switch {
			case working.Err() != nil:
				one.Status, one.Error = "interrupted", context.Cause(working).Error()
			case err != nil:
				one.Status, one.Error = "failed", err.Error()
			}
			printing.Lock()
			defer printing.Unlock()
			a.showServed(one)
			watcher.Moved()
			return output, err
		}
	}
	return all
}

func (a *app) showServed(one servedCall) {
	if a.json() {
		_ = a.document(one) // whoever does not read it misses no call
		return
	}
	paint := a.paint(a.std.errTerminal)
	mark, why := paint.Good("✓"), ""
	if one.Status != "succeeded" {
		mark, why = paint.Bad("✗"), ": "+show.Line(one.Error)
	}
	a.notice("%s %s of %s (%s) %s in %s%s", mark, show.Line(one.Tool), show.Line(one.RunID), show.Line(one.ActionID), one.Status,
		(time.Duration(one.DurationMS) * time.Millisecond), why)
}

// outlasting is ctx, but that it does not end because the command stops.
func outlasting(ctx, stopping context.Context) (context.Context, func()) {
	working, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		if stopping.Err() == nil {
			cancel(context.Cause(ctx))
		}
	})
	return working, func() {
		forget()
		cancel(nil)
	}
}

// warningCore tells people what a starter logs as a warning. What was told last
// is not told again.
type warningCore struct {
	tell   func(line string)
	fields []zapcore.Field
	told   *lastWarning
}

type lastWarning struct {
	mu   sync.Mutex
	line string
}

// Enabled implements zapcore.Core.
func (*warningCore) Enabled(level zapcore.Level) bool { return level >= zap.WarnLevel }

// With implements zapcore.Core.
func (c *warningCore) With(fields []zapcore.Field) zapcore.Core {
	return &warningCore{tell: c.tell, told: c.told, fields: append(c.fields[:len(c.fields):len(c.fields)], fields...)}
}

// Check implements zapcore.Core. A failed call is reported as such already.
func (c *warningCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.Enabled(entry.Level) || entry.Message == "a call failed" {
		return checked
	}
	return checked.AddCore(entry, c)
}

// Write implements zapcore.Core.
func (c *warningCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, field := range append(c.fields[:len(c.fields):len(c.fields)], fields...) {
		field.AddTo(values)
	}
	line := "warning: " + entry.Message
	if run, known := values.Fields["run_id"].(string); known {
		line += " (run " + run + ")"
	}
	if err, known := values.Fields["error"]; known {
		line += fmt.Sprintf(": %v", err)
	}
	line = show.Line(line)
	c.told.mu.Lock()
	defer c.told.mu.Unlock()
	if line != c.told.line {
		c.told.line = line
		c.tell(line)
	}
	return nil
}

// Sync implements zapcore.Core.
func (*warningCore) Sync() error { return nil }
