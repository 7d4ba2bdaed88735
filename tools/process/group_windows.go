package process

import (
	"os"
	"syscall"
)

func setGroup(attributes *syscall.SysProcAttr) {
	attributes.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// terminateGroup kills: there is no way to ask.
func terminateGroup(leader *os.Process) { killGroup(leader) }

// killGroup ends the leader only.
func killGroup(leader *os.Process) { _ = leader.Kill() }
