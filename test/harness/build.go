package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// BuildErrand builds the errand command: see Build.
func BuildErrand(t testing.TB) string {
	t.Helper()
	return Build(t, "./cmd/errand")
}

// Build builds a command of this module, named by its path from the root, once
// per test process and without the race detector, and returns the path of the
// binary. StopShared removes it.
func Build(t testing.TB, command string) string {
	t.Helper()
	once, _ := shared.builds.LoadOrStore(command, sync.OnceValues(func() (string, error) { return build(command) }))
	binary, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// build compiles a command into a directory of its own.
func build(command string) (binary string, err error) {
	dir, err := os.MkdirTemp("", "errand-test-")
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, filepath.Base(command))
	cmd := exec.Command("go", "build", "-race=false", "-o", binary, command)
	cmd.Dir = RepoRoot()
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("building %s: %w\n%s", command, err, output), os.RemoveAll(dir))
	}
	return binary, nil
}

// removeBuilds leaves nothing behind.
func removeBuilds() {
	shared.builds.Range(func(_, once any) bool {
		if binary, err := once.(func() (string, error))(); err == nil {
			_ = os.RemoveAll(filepath.Dir(binary))
		}
		return true
	})
}

// RepoRoot is the directory of the repository. It panics outside of it, where
// nothing in this package can work.
func RepoRoot() string {
	var starts []string
	if _, source, _, ok := runtime.Caller(0); ok {
		starts = append(starts, filepath.Dir(source))
	}
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir) // source paths are cut by -trimpath
	}
	for _, dir := range starts {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err == nil && strings.HasPrefix(string(mod), "module errand\n") {
				return dir
			}
		}
	}
	panic("harness: not inside the errand repository")
}
