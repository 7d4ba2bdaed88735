// Package process starts child processes that are not left behind. Every child
// leads a process group of its own: Ctrl-C in a terminal reaches this process
// alone, which then ends its children in the right order, each with all that
// it has started. On Linux the kernel kills a child when this process dies,
// however that happens.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Child is a process that this one has started. What it is made of (working
// directory, environment, streams, and attributes beyond those of its group)
// is said by the exec.Cmd that it is started from.
type Child struct {
	cmd   *exec.Cmd
	done  chan struct{}
	sweep sync.Once
}

// outputGrace bounds how long a descendant that kept an output pipe open can
// hold up the end of a child that is dead.
const outputGrace = 2 * time.Second

// Start starts a process and waits for its end in the background. End it with
// Stop or Kill, whatever becomes of the context that cmd may have.
// cmd.WaitDelay, two seconds if not set, is how long output is still read when
// the child has ended and something that it started holds its streams open.
func Start(cmd *exec.Cmd) (*Child, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	setGroup(cmd.SysProcAttr)
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = outputGrace
	}
	child := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go child.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return child, nil
}

// run stays on one thread from the start of the child to its end: the kernel
// sends the death signal when the thread that forked dies, and Go retires
// threads whenever it likes.
func (c *Child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = c.cmd.Wait() // ProcessState says how it ended; the rest is about its streams
	close(c.done)
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended and its output has been read.
func (c *Child) Done() <-chan struct{} { return c.done }

// Ended waits for the end of the child, for as long as within, and tells
// whether it has come.
func (c *Child) Ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
		return false
	}
}

// ExitCode waits for the end; it is -1 for a child that a signal ended.
func (c *Child) ExitCode() int {
	<-c.done
	return c.cmd.ProcessState.ExitCode()
}

// Err waits for the end. It is nil for exit status 0, and else says how the
// child ended: "exit status 3", "signal: killed".
func (c *Child) Err() error {
	<-c.done
	if c.cmd.ProcessState.Success() {
		return nil
	}
	return &exec.ExitError{ProcessState: c.cmd.ProcessState}
}

// Signal sends a signal to the child alone. A child that has ended is no error.
func (c *Child) Signal(signal os.Signal) {
	err := c.cmd.Process.Signal(signal)
	if err != nil && !errors.Is(err, os.ErrProcessDone) && signal == syscall.SIGTERM {
		c.Kill() // Windows can only kill
	}
}

// Kill ends the child and every process of its group at once. It does not
// wait.
func (c *Child) Kill() { killGroup(c.cmd.Process) }

// Stop ends the child with all of its group and waits for that. It asks first
// and kills after grace, or when ctx ends; then the error says so. Where the
// child has ended by itself, what it left behind is killed, once.
func (c *Child) Stop(ctx context.Context, grace time.Duration) error {
	defer c.sweep.Do(c.Kill)
	select {
	case <-c.done:
		return nil
	default:
	}
	terminateGroup(c.cmd.Process)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	var err error
	select {
	case <-c.done:
		return nil
	case <-timer.C:
		err = fmt.Errorf("did not stop in %s and was killed", grace)
	case <-ctx.Done():
		err = fmt.Errorf("had not stopped and was killed: %w", context.Cause(ctx))
	}
	c.Kill()
	<-c.done
	return err
}
