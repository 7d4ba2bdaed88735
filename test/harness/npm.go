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

const aimockPackage = "node_modules/@copilotkit/aimock"

// installAimock returns the path of aimock's command and, where it is not
// installed as test/package-lock.json has it, installs it first.
func installAimock() (script string, err error) {
	dir := filepath.Join(RepoRoot(), "test")
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
	script = filepath.Join(dir, aimockPackage, "dist", "aimock-cli.js")
	// npm writes this file last, so an installation that was broken off has none.
	have, err := lockedIntegrity(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	want, err := lockedIntegrity(lock.Name())
	if err != nil || have == want {
		return script, err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("aimock is not installed, and npm is not on PATH to do it: on Debian, apt install npm")
	}
	cmd := exec.Command(npm, "ci")
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci in %s: %w\n%s", dir, err, output)
	}
	return script, nil
}

// lockedIntegrity is the checksum of aimock in one of npm's lock files.
func lockedIntegrity(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var lock struct {
		Packages map[string]struct {
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return lock.Packages[aimockPackage].Integrity, nil
}
