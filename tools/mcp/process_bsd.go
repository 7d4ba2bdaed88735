//go:build unix && !linux

package mcp

import "syscall"

// endWithParent is left to the server: it reads the end of its input.
func endWithParent(*syscall.SysProcAttr) {}
