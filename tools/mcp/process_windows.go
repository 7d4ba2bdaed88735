package mcp

import "os/exec"

// ownGroup does nothing: only the server's own process is ended here.
func ownGroup(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
