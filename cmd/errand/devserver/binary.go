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
