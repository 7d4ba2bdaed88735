package devserver_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
)

// script writes an executable shell script and returns its path.
func script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writeScript(t, path, body)
	return path
}

func writeScript(t *testing.T, path, body string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
}

// machine is a computer without a temporal CLI: every place that Binary looks
// at is an empty directory.
type machine struct{ path, cache, gopath string }

func newMachine(t *testing.T) machine {
	t.Helper()
	m := machine{path: t.TempDir(), cache: t.TempDir(), gopath: t.TempDir()}
	for _, tool := range []string{"sleep", "chmod"} {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(m.path, tool)))
	}
	t.Setenv(devserver.EnvCLI, "")
	t.Setenv("PATH", m.path)
	t.Setenv("XDG_CACHE_HOME", m.cache)
	t.Setenv("HOME", m.cache)
	t.Setenv("GOPATH", m.gopath)
	return m
}

// withGo puts a go command there whose install runs the given script.
func (m machine) withGo(t *testing.T, install string) {
	t.Helper()
	writeScript(t, filepath.Join(m.path, "go"), `case "$1" in env) echo `+m.gopath+`;; install) `+install+`;; esac`)
}

const fakeInstall = `echo "$2" >>"$COUNT"; sleep 0.3; printf '#!/bin/sh\n' >"$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`

func (m machine) cached() string {
	return filepath.Join(m.cache, "errand", "bin", "temporal-"+devserver.CLIVersion)
}

func TestBinaryLooksInOrder(t *testing.T) {
	m := newMachine(t)
	m.withGo(t, "exit 1")
	find := func() string {
		path, err := devserver.Binary(t.Context(), &bytes.Buffer{})
		require.NoError(t, err)
		return path
	}
	inGOPATH := filepath.Join(m.gopath, "bin", "temporal")
	writeScript(t, inGOPATH, "")
	require.Equal(t, inGOPATH, find())

	writeScript(t, m.cached(), "")
	require.Equal(t, m.cached(), find())

	onPATH := filepath.Join(m.path, "temporal")
	writeScript(t, onPATH, "")
	require.Equal(t, onPATH, find())

	named := script(t, "mine", "")
	t.Setenv(devserver.EnvCLI, named)
	require.Equal(t, named, find())

	t.Setenv(devserver.EnvCLI, named+"-gone")
	_, err := devserver.Binary(t.Context(), &bytes.Buffer{})
	require.ErrorContains(t, err, devserver.EnvCLI+"="+named+"-gone is not an executable file")
}

func TestBinaryIsBuiltOnceForTwoAtATime(t *testing.T) {
	m := newMachine(t)
	m.withGo(t, fakeInstall)
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv("COUNT", count)

	var progress [2]bytes.Buffer
	var paths [2]string
	var errs [2]error
	var group sync.WaitGroup
	for i := range progress {
		group.Go(func() { paths[i], errs[i] = devserver.Binary(t.Context(), &progress[i]) })
	}
	group.Wait()
	require.Equal(t, [2]error{}, errs)
	require.Equal(t, [2]string{m.cached(), m.cached()}, paths)
	built, err := os.ReadFile(count)
	require.NoError(t, err)
	require.Equal(t, "github.com/temporalio/cli/cmd/temporal@v1.5.1\n", string(built))

	told := progress[0].String() + progress[1].String()
	require.Contains(t, told, "about 4 minutes on 2 cores")
	require.Contains(t, told, "Another process is building the Temporal CLI; waiting for it.")
	require.Regexp(t, `Built the Temporal CLI in \d+ s\.`, told)

	left, err := filepath.Glob(filepath.Join(filepath.Dir(m.cached()), "build-*"))
	require.NoError(t, err)
	require.Empty(t, left, "no build directory stays behind")
}

func TestBinarySaysWhatToDoWithoutGo(t *testing.T) {
	newMachine(t)
	_, err := devserver.Binary(t.Context(), &bytes.Buffer{})
	require.ErrorContains(t, err, "put temporal on PATH")
}

func TestBinaryShowsWhyABuildFailed(t *testing.T) {
	m := newMachine(t)
	m.withGo(t, "echo no route to the module proxy >&2; exit 1")
	_, err := devserver.Binary(t.Context(), &bytes.Buffer{})
	require.ErrorContains(t, err, "no route to the module proxy")
	require.ErrorContains(t, err, "put temporal on PATH")
	require.NoFileExists(t, m.cached())
}
