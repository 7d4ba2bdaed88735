package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/term"

	"errand/cmd/errand/show"
	"errand/workflows/contract"
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

// getenv is the last value of a variable, as the shell would have it.
func (a *app) getenv(name string) string {
	value := ""
	for _, one := range a.environ {
		if key, v, _ := strings.Cut(one, "="); key == name {
			value = v
		}
	}
	return value
}

func (a *app) taskQueue() string {
	for _, queue := range []string{a.flags.taskQueue, a.getenv("ERRAND_TASK_QUEUE")} {
		if queue != "" {
			return queue
		}
	}
	return contract.DefaultTaskQueue
}

// paint is for a stream that is a terminal or not.
func (a *app) paint(terminal bool) show.Paint {
	return show.Paint{On: terminal && !a.json() && !a.flags.noColor && a.getenv("NO_COLOR") == ""}
}

// usage is a command line that finds the same runs as this one.
func (a *app) usage(format string, args ...any) string {
	return a.name + " " + fmt.Sprintf(format, args...) + a.where()
}
