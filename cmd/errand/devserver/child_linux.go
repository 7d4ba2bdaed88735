package devserver

import "syscall"

// childAttributes asks for SIGKILL at our death rather than SIGTERM: a server
// that hangs while it stops would keep its port for ever, and a write-ahead
// log survives the kill.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
