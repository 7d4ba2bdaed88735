package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"errand/tools/process"
)

// CLIVersion is the version of the Temporal CLI that is built when none is
// found. Before you raise it, try it: a version whose go.mod has a replace
// directive, as v1.9.1 does, is refused by `go install`.
const CLIVersion = "v1.5.1"

// EnvCLI names the environment variable that points at a temporal binary and
// goes before every other place.
const EnvCLI = "ERRAND_TEMPORAL_CLI"

// errNoGo says what to do on a machine that has neither the CLI nor Go.
var errNoGo = errors.New("the Temporal CLI was not found, and without Go it cannot be built here: " +
	"install it from https://docs.temporal.io/cli and put temporal on PATH, or set " + EnvCLI + " to the binary")

// Binary is the path of a temporal binary: the one EnvCLI names, else the one
// on PATH, in the user's cache, or in GOPATH/bin. If there is none it builds
// CLIVersion into the cache, which takes minutes, and tells progress so.
func Binary(ctx context.Context, progress io.Writer) (string, error) {
	if named := os.Getenv(EnvCLI); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("%s=%s is not an executable file: correct it, or unset it to have the Temporal CLI found or built: %w", EnvCLI, named, err)
		}
		return path, nil
	}
	if path, err := exec.LookPath("temporal"); err == nil {
		return path, nil
	}
	cached, err := cachedBinary()
	if err != nil {
		return "", err
	}
	if executable(cached) {
		return cached, nil
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		return "", errNoGo
	}
	for _, root := range goPaths(ctx, goTool) {
		if path := filepath.Join(root, "bin", exeName("temporal")); executable(path) {
			return path, nil
		}
	}
	return cached, install(ctx, goTool, cached, progress)
}

// cachedBinary is where install puts what it built. The version is part of the
// name, so a newer Errand never runs the CLI of an older one.
func cachedBinary() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place to keep the Temporal CLI: %w; set %s to a temporal binary", err, EnvCLI)
	}
	return filepath.Join(cache, "errand", "bin", exeName("temporal-"+CLIVersion)), nil
}

// goPaths asks Go itself, since GOPATH may come from its own settings file.
func goPaths(ctx context.Context, goTool string) []string {
	out, err := exec.CommandContext(ctx, goTool, "env", "GOPATH").Output()
	if err != nil {
		return nil // then it is built
	}
	return filepath.SplitList(strings.TrimSpace(string(out)))
}

func executable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

func exeName(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

const (
	cliPackage = "github.com/temporalio/cli/cmd/temporal"
	// lockInterval is how often a lock that another process holds is tried.
	lockInterval = 200 * time.Millisecond
)

// install builds the CLI and moves it to target. Two processes may get here at
// once: the lock makes the second wait for the first, and the rename leaves
// what is built whole.
func install(ctx context.Context, goTool, target string, progress io.Writer) error {
	dir := filepath.Dir(target)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("no place to keep the Temporal CLI: %w", err)
	}
	// The kernel frees the lock of a process that dies, so a crash in the middle
	// of a build blocks nobody.
	lock := flock.New(target + ".lock")
	defer func() { _ = lock.Close() }()
	if err := await(ctx, lock, progress); err != nil {
		return fmt.Errorf("waiting for another process to build the Temporal CLI: %w", err)
	}
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

// await takes the lock, and says once if another process holds it.
func await(ctx context.Context, lock *flock.Flock, progress io.Writer) error {
	if locked, err := lock.TryLock(); locked || err != nil {
		return err
	}
	say(progress, "Another process is building the Temporal CLI; waiting for it.")
	_, err := lock.TryLockContext(ctx, lockInterval)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// build compiles into a directory of its own beside the target, so that the
// rename stays within one file system and is atomic.
func build(ctx context.Context, goTool, target string) error {
	bin, err := os.MkdirTemp(filepath.Dir(target), "build-")
	if err != nil {
		return fmt.Errorf("no place to build the Temporal CLI: %w", err)
	}
	defer func() { _ = os.RemoveAll(bin) }()

	output := &process.Tail{Limit: tailBytes}
	cmd := exec.CommandContext(ctx, goTool, "install", cliPackage+"@"+CLIVersion)
	cmd.Dir = bin // away from any module whose settings could interfere
	cmd.Env = append(environWithout("GOOS=", "GOARCH=", "GOBIN="), "GOBIN="+bin)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped while building the Temporal CLI: %w", context.Cause(ctx))
		}
		return fmt.Errorf("building the Temporal CLI failed: %w\n%s\nInstall it from https://docs.temporal.io/cli and put temporal on PATH, or set %s to the binary",
			err, output.Lines(tailLines), EnvCLI)
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
