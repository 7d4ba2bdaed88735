package mcp

import "syscall"

// endWithParent has the kernel end the server when the worker is killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
