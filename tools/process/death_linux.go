package process

import "syscall"

// setDeathSignal asks for SIGKILL rather than SIGTERM: a server that hangs
// while it stops would keep its port for ever, and a write-ahead log survives
// the kill.
func setDeathSignal(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
