package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"errand/cmd/errand/devserver"
	"errand/tools/process"
)

// Command says how a child process is started.
type Command struct {
	Path string
	Args []string
	// Env is added to the environment of the test, from which everything that
	// errand reads (OPENAI_*, TEMPORAL_*, ERRAND_*) has been taken out.
	Env []string
	// Dir is the working directory; empty: that of the test.
	Dir string
}

// Process is a child process of a test. It and what it started are killed when
// the test ends, and its output is shown if the test failed.
type Process struct {
	name           string
	child          *process.Child
	stdout, stderr buffer
	both           buffer
}

// StartProcess starts a child process.
func StartProcess(t testing.TB, command Command) *Process {
	t.Helper()
	p := &Process{name: filepath.Base(command.Path)}
	p.stdout.also, p.stderr.also = &p.both, &p.both
	cmd := exec.Command(command.Path, command.Args...)
	cmd.Dir = command.Dir
	cmd.Env = append(neutralEnviron(), command.Env...)
	cmd.Stdout, cmd.Stderr = &p.stdout, &p.stderr
	child, err := process.Start(cmd)
	if err != nil {
		t.Fatalf("starting %s: %v", command.Path, err)
	}
	p.child = child
	t.Cleanup(func() {
		p.Kill9()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", p.name, p.Output())
		}
	})
	return p
}

// neutralEnviron keeps the place of the Temporal CLI, which says where a tool
// is, not what to do.
func neutralEnviron() []string {
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		steers := strings.HasPrefix(name, "OPENAI_") || strings.HasPrefix(name, "TEMPORAL_") || strings.HasPrefix(name, "ERRAND_")
		if !steers || name == devserver.EnvCLI {
			kept = append(kept, variable)
		}
	}
	return kept
}

// PID is the process id.
func (p *Process) PID() int { return p.child.PID() }

// Stdout is what the process wrote there so far.
func (p *Process) Stdout() string { return p.stdout.String() }

// Stderr is what the process wrote there so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Output is both streams, in the order of arrival.
func (p *Process) Output() string { return p.both.String() }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.child.Done() }

// Kill9 ends the process and all of its group as a crash would, and waits.
func (p *Process) Kill9() {
	p.child.Kill()
	<-p.child.Done()
}

// Interrupt is Ctrl-C.
func (p *Process) Interrupt() { p.child.Signal(os.Interrupt) }

// Terminate is what a supervisor sends to stop a process.
func (p *Process) Terminate() { p.child.Signal(syscall.SIGTERM) }

// Wait waits for the end of the process and returns its exit code, -1 if a
// signal ended it.
func (p *Process) Wait(t testing.TB, timeout time.Duration) int {
	t.Helper()
	select {
	case <-p.Exited():
	case <-time.After(timeout):
		t.Fatalf("%s did not end within %s", p.name, timeout)
	}
	return p.child.ExitCode()
}

// WaitFor waits until the output contains text.
func (p *Process) WaitFor(t testing.TB, text string, timeout time.Duration) {
	t.Helper()
	p.WaitForMatch(t, regexp.MustCompile(regexp.QuoteMeta(text)), timeout)
}

// WaitForMatch waits until the output matches and returns the match and its
// groups. A process that ends without it fails the test at once.
func (p *Process) WaitForMatch(t testing.TB, pattern *regexp.Regexp, timeout time.Duration) []string {
	t.Helper()
	var found []string
	Eventually(t, timeout, func() (bool, string) {
		ended := false
		select {
		case <-p.Exited():
			ended = true
		default:
		}
		output := p.Output()
		found = pattern.FindStringSubmatch(output)
		if found == nil && ended {
			t.Fatalf("%s ended (exit code %d) without writing %q; it wrote:\n%s", p.name, p.child.ExitCode(), pattern, output)
		}
		return found != nil, output
	}, p.name+" writes "+pattern.String())
	return found
}
