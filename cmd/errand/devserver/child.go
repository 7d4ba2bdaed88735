package devserver

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Child is a process that is not left behind. On Linux the kernel kills it
// when this process dies, however that happens. It leads a process group of
// its own, so Ctrl-C in a terminal reaches this process alone, which can then
// stop its children in the right order.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// outputGrace bounds how long a grandchild that kept an output pipe open can
// hold up the end of a child that is dead.
const outputGrace = 2 * time.Second

// StartChild starts cmd, whose SysProcAttr it sets, and waits for its end in
// the background. Kill or Signal it, then wait for Done.
func StartChild(cmd *exec.Cmd) (*Child, error) {
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = outputGrace
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
	c.err = c.cmd.Wait()
	close(c.done)
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended and all its output has been read.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err waits for the end and says how it came: nil for exit status 0.
func (c *Child) Err() error {
	<-c.done
	return c.err
}

// ExitCode waits for the end; it is -1 for a child that a signal ended.
func (c *Child) ExitCode() int {
	<-c.done
	return c.cmd.ProcessState.ExitCode()
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
