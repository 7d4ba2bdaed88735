package main

import (
	"context"
	"os/exec"

	"errand/tools/process"
)

// finish runs a process to its end. When ctx ends it is killed, with all that
// it has started.
func finish(ctx context.Context, cmd *exec.Cmd) error {
	child, err := process.Start(cmd)
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
		return child.Err()
	case <-ctx.Done():
		child.Kill()
		<-child.Done()
		return context.Cause(ctx)
	}
}
