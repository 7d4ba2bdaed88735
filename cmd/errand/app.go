package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/term"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/prompt"
	"errand/cmd/errand/shell"
	"errand/cmd/errand/show"
	"errand/tools"
)

// app is one invocation of the command.
type app struct {
	// name is how the command is called: "errand", or "temporal errand".
	name    string
	std     streams
	flags   globals
	environ []string
	// noticing is held while a notice is written.
	noticing sync.Mutex
	// started: the command line was understood, so an error is not about it.
	started bool
	// address is what was last dialled, for error messages.
	address string
	// command is what was called with its path, for the hint in usage errors.
	command string
}

// streams are where a command reads and writes, and which of them a person
// sits at.
type streams struct {
	in       io.Reader
	out, err io.Writer

	inTerminal, outTerminal, errTerminal bool
}

// globals are the flags that every command has.
type globals struct {
	output    string
	address   string
	namespace string
	profile   string
	taskQueue string
	noColor   bool
}

func newApp(program string) *app {
	return &app{
		name: nameOf(program),
		std: streams{
			in: os.Stdin, out: os.Stdout, err: os.Stderr,
			inTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
			outTerminal: term.IsTerminal(int(os.Stdout.Fd())),
			errTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		},
		environ: os.Environ(),
	}
}

// nameOf is the name that the command goes by: the temporal CLI runs a program
// temporal-errand for "temporal errand".
func nameOf(program string) string {
	base := strings.TrimSuffix(filepath.Base(program), ".exe")
	if base == "temporal-errand" {
		return "temporal errand"
	}
	return "errand"
}

// execute runs one command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root() //nolint:contextcheck // commands get theirs when they are executed
	root.SetArgs(args)
	root.SetOut(a.std.out)
	root.SetErr(a.std.err)
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	a.command = called.CommandPath()
	if !a.started {
		err = &usageError{err}
		if wantsJSON(args) {
			a.flags.output = outputJSON
		}
	}
	return a.report(err)
}

// wantsJSON looks for -o json in a command line that could not be understood.
func wantsJSON(args []string) bool {
	line := " " + strings.Join(args, " ") + " "
	for _, way := range []string{" -o json ", " -ojson ", " -o=json ", " --output json ", " --output=json "} {
		if strings.Contains(line, way) {
			return true
		}
	}
	return false
}

const (
	outputText = "text"
	outputJSON = "json"
)

func (a *app) json() bool { return a.flags.output == outputJSON }

// settings say where runs are.
func (a *app) settings() connect.Settings {
	return connect.Settings{
		Address: a.flags.address, Namespace: a.flags.namespace, Profile: a.flags.profile, TaskQueue: a.flags.taskQueue,
		Environ: a.environ,
	}
}

// paint is for a stream that is a terminal or not.
func (a *app) paint(terminal bool) show.Paint {
	return show.Paint{On: terminal && !a.json() && !a.flags.noColor && a.settings().Getenv("NO_COLOR") == ""}
}

// usage is a command line that finds the same runs as this one.
func (a *app) usage(format string, args ...any) string {
	return a.name + " " + fmt.Sprintf(format, args...) + a.settings().Flags()
}

// commands answer a question about a run. They are made of the flags of this
// invocation, so that they can be pasted as they are.
func (a *app) commands(runID string) prompt.Commands {
	return prompt.Commands{Name: a.name, Flags: a.settings().Flags(), Run: shell.Quote(runID), Actor: a.defaultActor()}
}

// defaultActor is who approves when --actor does not say.
func (a *app) defaultActor() string {
	if name := a.settings().Getenv("USER"); name != "" {
		return name
	}
	if current, err := user.Current(); err == nil {
		return current.Username
	}
	return ""
}

// report tells an error on standard error and returns its exit code.
func (a *app) report(err error) int {
	p := a.explain(err)
	if a.json() {
		if p.Faults == nil {
			p.Faults = tools.Faults{}
		}
		_ = writeJSON(a.std.err, struct {
			Error problem `json:"error"`
		}{p})
		return p.code
	}
	paint := a.paint(a.std.errTerminal)
	mark := paint.Bad(a.name + ":")
	if p.code == exitDetached {
		mark = a.name + ":"
	}
	message := show.Block(p.Message)
	if len(p.Faults) > 0 {
		message += ":"
	}
	_, _ = fmt.Fprintf(a.std.err, "%s %s\n", mark, message)
	for _, fault := range p.Faults {
		_, _ = fmt.Fprintf(a.std.err, "  %s\n", show.Line(fault.String()))
	}
	return p.code
}

// notice tells something that is no error on standard error. Several
// goroutines do.
func (a *app) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.noticing.Lock()
	defer a.noticing.Unlock()
	if a.json() {
		_ = writeJSON(a.std.err, struct {
			Notice struct {
				Message string `json:"message"`
			} `json:"notice"`
		}{struct {
			Message string `json:"message"`
		}{text}})
		return
	}
	_, _ = fmt.Fprintln(a.std.err, text)
}

// print writes to standard output. A reader that has gone, as head does, is an
// error like any other.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.std.out, format, args...)
	return err
}

// document writes v as one line of JSON to standard output.
func (a *app) document(v any) error { return writeJSON(a.std.out, v) }

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
