package devserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const cliPackage = "github.com/temporalio/cli/cmd/temporal"

// install builds the CLI and moves it to target. Two processes may get here at
// once: the lock makes the second wait for the first, and the rename makes
// what they leave whole even where there is no lock.
func install(ctx context.Context, goTool, target string, progress io.Writer) error {
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("no place to keep the Temporal CLI: %w", err)
	}
	unlock, err := lock(ctx, target+".lock", func() {
		say(progress, "Another process is building the Temporal CLI; waiting for it.")
	})
	if err != nil {
		return fmt.Errorf("waiting for another process to build the Temporal CLI: %w", err)
	}
	defer unlock()
	if executable(target) {
		return nil
	}

	say(progress, "The Temporal CLI was not found. Building %s@%s into %s.", cliPackage, CLIVersion, dir)
	say(progress, "This happens once and takes about 4 minutes on 2 cores.")
	begin := time.Now()
	if err := build(ctx, goTool, target); err != nil {
		return err
	}
	say(progress, "Built the Temporal CLI in %d s.", int(time.Since(begin).Seconds()))
	return nil
}

// build compiles into a directory of its own beside the target, so that the
// rename stays within one file system and is atomic.
func build(ctx context.Context, goTool, target string) error {
	bin, err := os.MkdirTemp(filepath.Dir(target), "build-")
	if err != nil {
		return fmt.Errorf("no place to build the Temporal CLI: %w", err)
	}
	defer func() { _ = os.RemoveAll(bin) }()

	output := &tail{}
	cmd := exec.CommandContext(ctx, goTool, "install", cliPackage+"@"+CLIVersion)
	cmd.Dir = bin // away from any module whose settings could interfere
	cmd.Env = append(environWithout("GOOS=", "GOARCH=", "GOBIN="), "GOBIN="+bin)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped while building the Temporal CLI: %w", context.Cause(ctx))
		}
		return fmt.Errorf("building the Temporal CLI failed: %w\n%s\nInstall it from https://docs.temporal.io/cli and put temporal on PATH, or set %s to the binary",
			err, output.lines(tailLines), EnvCLI)
	}
	if err := os.Rename(filepath.Join(bin, exeName("temporal")), target); err != nil {
		return fmt.Errorf("keeping the Temporal CLI that was built: %w", err)
	}
	return nil
}

// environWithout is the environment but the variables with these prefixes.
func environWithout(prefixes ...string) []string {
	var kept []string
next:
	for _, variable := range os.Environ() {
		for _, prefix := range prefixes {
			if strings.HasPrefix(variable, prefix) {
				continue next
			}
		}
		kept = append(kept, variable)
	}
	return kept
}

// say writes one line of progress. Nothing depends on its arriving.
func say(progress io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(progress, format+"\n", args...)
}
