//go:build unix

package devserver

import (
	"os"
	"syscall"
)

// killGroup also reaches what the leader left behind when it died.
func killGroup(leader *os.Process) {
	_ = syscall.Kill(-leader.Pid, syscall.SIGKILL)
}
