package crash

import (
	"strconv"
	"syscall"

	"errand/test/harness"
)

// harm is what was done to a worker.
type harm string

const (
	unharmed harm = ""
	killed   harm = "killed"
	paused   harm = "paused"
	stopped  harm = "stopped"
)

// kill is a crash of the worker.
func (tr *trial) kill(p *harness.Process) {
	tr.struck[strconv.Itoa(p.PID())] = killed
	p.Kill9()
}

// stop is what a deploy does to the worker.
func (tr *trial) stop(p *harness.Process) {
	tr.struck[strconv.Itoa(p.PID())] = stopped
	p.Terminate()
}

func (tr *trial) anyStruck() bool { return len(tr.struck) > 0 }

// A worker that is stopped by SIGSTOP has lost its network as far as anybody
// can tell, and does not know it when it goes on.

func (tr *trial) pause(p *harness.Process) error {
	tr.struck[strconv.Itoa(p.PID())] = paused
	return syscall.Kill(p.PID(), syscall.SIGSTOP)
}

func goOn(p *harness.Process) error { return syscall.Kill(p.PID(), syscall.SIGCONT) }
