package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const aimockScript = "node_modules/@copilotkit/aimock/dist/aimock-cli.js"

// installAimock returns the path of aimock's command.
func installAimock() (script string, err error) {
	return NPM(filepath.Join(RepoRoot(), "test"), aimockScript)
}

// NPM returns the path of a file of a package in dir and, where the packages
// are not installed as dir's package-lock.json has them, installs them first.
func NPM(dir, script string) (path string, err error) {
	// Packages are tested by several processes at once, and npm ci begins by
	// removing what is there.
	lock, err := os.Open(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("locking %s: %w", lock.Name(), err)
	}
	path = filepath.Join(dir, script)
	// npm writes this file last, so an installation that was broken off has none.
	have, err := locked(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	want, err := locked(lock.Name())
	if err != nil || installed(want, have) {
		return path, err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("packages that the tests run are not installed, and npm is not on PATH to do it: on Debian, apt install npm")
	}
	cmd := exec.Command(npm, "ci")
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci in %s: %w\n%s", dir, err, output)
	}
	return path, nil
}

// lockedPackage is a package in one of npm's lock files.
type lockedPackage struct {
	Integrity string `json:"integrity"`
	Optional  bool   `json:"optional"`
}

// locked are the packages of a lock file by path.
func locked(path string) (map[string]lockedPackage, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"`
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	delete(lock.Packages, "")
	return lock.Packages, nil
}

// installed tells whether every package that is wanted is there. Optional ones
// may be for another machine.
func installed(want, have map[string]lockedPackage) bool {
	for path, p := range want {
		if !p.Optional && have[path].Integrity != p.Integrity {
			return false
		}
	}
	return true
}
