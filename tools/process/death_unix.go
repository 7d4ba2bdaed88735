//go:build unix && !linux

package process

import "syscall"

// setDeathSignal does nothing: these systems tell a child of nothing but the
// end of its pipes.
func setDeathSignal(*syscall.SysProcAttr) {}
