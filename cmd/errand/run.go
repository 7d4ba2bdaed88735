package main

import (
	"context"

	"github.com/spf13/cobra"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/program"
	"errand/starter"
)

const runHelp = `Start a run and stay with it: its progress goes to standard error, its final
text to standard output.

The request is made of a prompt (- reads it from standard input) and flags, or
read from a file: an OpenAI Responses create-request, plus the object "run".

Calls to tools that the request declares as functions come back here. --exec
name=program answers them with a program: it is run without a shell, reads the
arguments as JSON on standard input and prints the answer; if it fails, the
model reads what it wrote to standard error. ERRAND_RUN_ID, ERRAND_TOOL_CALL_ID,
ERRAND_ACTION_ID, ERRAND_TOOL and ERRAND_KEY tell it which call this is; the key
is the same if the call is ever repeated. Other calls, and approvals, are asked
at the terminal; without one, the command prints how to answer and waits.

Ctrl-C asks whether to detach or to cancel; a second one detaches. A detached
run goes on: "{errand} attach" goes back to it.

With -o json the result is printed as one document; with --events as well, each
event as a line before it.`

const runExample = `  {errand} run "What time is it in Oslo?" --tool now
  {errand} run "Is AB12 in stock?" --exec 'stock=./stock.sh --depot oslo'
  {errand} run --file request.json -o json`

// runFlags are those of "errand run".
type runFlags struct {
	request requestFlags
	session sessionFlags
	id      string
	detach  bool
}

// sessionFlags say how to stay with a run.
type sessionFlags struct {
	programs []string
	events   bool
}

func (f *sessionFlags) add(command *cobra.Command) {
	command.Flags().StringArrayVar(&f.programs, "exec", nil, "name=program: answer the calls of a tool with a program (repeatable)")
	command.Flags().BoolVar(&f.events, "events", false, "with -o json: print every event as a line, then the result")
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	command := &cobra.Command{
		Use:     "run [prompt…]",
		Short:   "Start a run and stay with it",
		Long:    runHelp,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(cmd.Context(), f, args)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&f.request.file, "file", "f", "", "read the request from a file (- is standard input)")
	flags.StringVarP(&f.request.model, "model", "m", "", "model (ERRAND_MODEL, or "+defaultModel+")")
	flags.StringVar(&f.request.instructions, "instructions", "", "system instructions")
	flags.StringArrayVar(&f.request.tools, "tool", nil, "declare a platform tool of the worker (repeatable)")
	flags.StringVar(&f.request.timeout, "client-timeout", "", "how long to wait for answers and approvals, for example 72h (default: for ever)")
	flags.StringVar(&f.request.onTimeout, "on-client-timeout", "", "what the end of that wait means: expire (default) or fail")
	flags.StringVar(&f.id, "run-id", "", "id of the run, printable ASCII (default: a new one)")
	flags.BoolVarP(&f.detach, "detach", "d", false, "start the run, print its id and end")
	f.session.add(command)
	return command
}

func (a *app) run(ctx context.Context, f runFlags, words []string) error {
	if err := checkNewID(f.id); err != nil {
		return err
	}
	programs, err := a.checkSession(f.session)
	if err != nil {
		return err
	}
	if f.detach && len(programs) > 0 {
		return badUsage(`--exec needs somebody who stays: leave --detach out, or serve the run later with "attach --exec"`)
	}
	request, err := a.request(f.request, words, programs)
	if err != nil {
		return err
	}
	var options []starter.StartOption
	if f.id != "" {
		options = append(options, starter.WithRunID(f.id))
	}
	return a.withConnection(ctx, func(c *connect.Connection) error {
		// Where the server can search for them, "ls --pending" finds waiting runs
		// without asking each; a server that does not say goes without.
		if found, err := c.Starter.Searchable(ctx); err == nil && found {
			options = append(options, starter.WithSearchAttributes())
		}
		run, err := c.Starter.Start(ctx, request, options...)
		if err != nil {
			return connect.About(f.id, err)
		}
		if f.detach {
			return a.showDetached(c, run.ID())
		}
		return connect.About(run.ID(), a.follow(ctx, c, run, programs, f.session.events))
	})
}

// checkNewID looks at --run-id, which is empty for a new id.
func checkNewID(id string) error {
	if id == connect.Last {
		return badUsage("--run-id %s: this word stands for the newest run: choose another id", id)
	}
	if id == "" {
		return nil
	}
	if err := starter.CheckRunID(id); err != nil {
		return badUsage("--run-id: %w", err)
	}
	return nil
}

// checkSession reads the flags of a session before anything is started.
func (a *app) checkSession(f sessionFlags) (program.Set, error) {
	if f.events && !a.json() {
		return nil, badUsage("--events prints JSON lines: add -o json")
	}
	return parsePrograms(f.programs)
}

// showDetached tells the id of a run that was started, and how to go on.
func (a *app) showDetached(c *connect.Connection, id string) error {
	ui := connect.WebUI(c.Address, c.Namespace, id)
	if a.json() {
		return a.document(struct {
			RunID string `json:"run_id"`
			WebUI string `json:"web_ui,omitempty"`
		}{id, ui})
	}
	if ui != "" {
		a.notice("Web UI: %s", ui)
	}
	return a.print("%s\n", id)
}

func (a *app) attachCommand() *cobra.Command {
	var f sessionFlags
	command := &cobra.Command{
		Use:   "attach <run>",
		Short: "Stay with a run that exists already",
		Long: `Stay with a run as "{errand} run" does, wherever it was started: show its
progress from the beginning, answer what is open, print its final text.`,
		Example: "  {errand} attach last --exec 'stock=./stock.sh'",
		Args:    wants(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			programs, err := a.checkSession(f)
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(c *connect.Connection, run *starter.Run) error {
				return a.follow(cmd.Context(), c, run, programs, f.events)
			})
		},
	}
	f.add(command)
	return command
}
