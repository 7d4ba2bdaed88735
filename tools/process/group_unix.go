//go:build unix

package process

import (
	"os"
	"syscall"
)

func setGroup(attributes *syscall.SysProcAttr) {
	attributes.Setpgid = true
	setDeathSignal(attributes)
}

// terminateGroup and killGroup also reach what the leader left behind when it
// died.
func terminateGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGTERM) }

func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }
