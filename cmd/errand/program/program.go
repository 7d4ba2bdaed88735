// Package program answers client-owned calls by running programs: the flag
// --exec of the command. A program gets the arguments on standard input and
// what it must know of the call in its environment; what it prints is the
// answer.
package program

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"errand/tools/process"
	"errand/workflows/contract"
)

// Call is what a program gets to know of the call that it answers.
type Call struct {
	RunID, ToolCallID, ActionID, Tool string
	// Key is the same whenever this call is answered again: pass it to
	// whatever the program changes, so that a repeat does no harm.
	Key string
	// Arguments are the bytes of standard input: the call's JSON arguments.
	Arguments []byte
	// Limit is the size in bytes of the largest answer, as JSON text; 0 means
	// contract.MaxAnswerSize.
	Limit int
}

// Answer is what a program said.
type Answer struct {
	Output  string
	IsError bool
}

// Run runs the words of a command line and waits for its end. A program that
// fails, or that cannot be started, is an answer: the model reads why. Only
// the end of ctx is an error; it kills the program and all that it started.
func Run(ctx context.Context, command []string, call Call) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	limit := call.room()
	output, stderr := &head{limit: limit}, &process.Tail{Limit: maxStderr}
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // the person names the program
	cmd.Stdin = bytes.NewReader(call.Arguments)
	cmd.Stdout, cmd.Stderr = output, stderr
	cmd.Env = append(os.Environ(), call.environment()...)
	child, err := process.Start(cmd)
	if err != nil {
		return Answer{Output: fmt.Sprintf("%s could not be started: %s", command[0], err), IsError: true}, nil
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Kill()
		<-child.Done()
		return Answer{}, context.Cause(ctx)
	}
	// An end that left a pipe open, or did not read its input, is no failure.
	if err := child.Err(); err != nil {
		return Answer{Output: failure(command[0], err, stderr.Text(), output.text()), IsError: true}, nil
	}
	return Answer{Output: fit(strings.TrimRight(output.text(), "\r\n"), output.total, limit)}, nil
}

// room is what the text of an answer may take as JSON, beside the fields around
// it.
func (c Call) room() int {
	if c.Limit > 0 {
		return c.Limit - besides
	}
	return contract.MaxAnswerSize - besides
}

// Find tells whether a program is there, before a run depends on it.
func Find(command []string) error {
	if _, err := exec.LookPath(command[0]); err != nil {
		return fmt.Errorf("%s is not a program that can be run: give its path, and make it executable", command[0])
	}
	return nil
}

func (c Call) environment() []string {
	return []string{
		"ERRAND_RUN_ID=" + c.RunID,
		"ERRAND_TOOL_CALL_ID=" + c.ToolCallID,
		"ERRAND_ACTION_ID=" + c.ActionID,
		"ERRAND_TOOL=" + c.Tool,
		"ERRAND_KEY=" + c.Key,
	}
}

// failure is what the model reads of a program that failed: the end of what it
// wrote to standard error, or else of what it printed.
func failure(name string, err error, stderr, output string) string {
	said := stderr
	if said == "" {
		said = strings.TrimSpace(output)
		said = strings.ToValidUTF8(said[max(0, len(said)-maxStderr):], "")
	}
	if said == "" {
		return fmt.Sprintf("%s failed: %s", name, err)
	}
	return fmt.Sprintf("%s failed: %s\n%s", name, err, said)
}
