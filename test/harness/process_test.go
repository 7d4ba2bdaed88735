package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
)

// failing stands in for a test that is expected to fail.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure is the message with which body failed.
func failure(body func(t testing.TB)) string {
	f := &failing{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		body(f)
	}()
	<-done
	return f.message
}

func TestEventuallyWaitsAndExplains(t *testing.T) {
	t.Parallel()
	looks := 0
	Eventually(t, patience, func() (bool, string) {
		looks++
		return looks == 3, ""
	}, "the third look")
	require.Equal(t, 3, looks)

	message := failure(func(t testing.TB) {
		Eventually(t, 30*time.Millisecond, func() (bool, string) { return false, "status queued" }, "the run ends")
	})
	require.Equal(t, "not within 30ms: the run ends\nlast seen: status queued", message)
}

func TestProcessFromStartToInterrupt(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "never passed on")
	binary, err := build("./test/harness/testdata/child")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(filepath.Dir(binary))) })
	child := StartProcess(t, Command{Path: binary, Args: []string{"now"}, Env: []string{"MINE=yes"}, Dir: t.TempDir()})
	child.WaitFor(t, "ready now", patience)
	require.Equal(t, "ready now\n", child.Stderr())
	require.Equal(t, "key=\"\" mine=\"yes\"\n", child.Stdout())
	require.Equal(t, []string{`mine="yes"`, "yes"}, child.WaitForMatch(t, regexp.MustCompile(`mine="(\w+)"`), patience))

	child.Interrupt()
	require.Equal(t, 7, child.Wait(t, patience))
	require.Contains(t, child.Output(), "interrupted")
	child.Kill9() // after the end it does nothing
}

func TestProcessThatEndsFailsTheWaitAtOnce(t *testing.T) {
	t.Parallel()
	child := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", "echo no config; exit 3"}})
	begin := time.Now()
	message := failure(func(t testing.TB) { child.WaitFor(t, "ready", time.Minute) })
	require.Contains(t, message, `sh ended (exit code 3) without writing "ready"; it wrote:`)
	require.Contains(t, message, "no config")
	require.Less(t, time.Since(begin), patience)
}

func TestKill9ReachesGrandchildren(t *testing.T) {
	t.Parallel()
	child := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", "sleep 300 & echo pid $!; wait"}})
	pid, err := strconv.Atoi(child.WaitForMatch(t, regexp.MustCompile(`pid (\d+)`), patience)[1])
	require.NoError(t, err)
	child.Kill9()
	require.Equal(t, -1, child.Wait(t, patience))
	Eventually(t, patience, func() (bool, string) {
		err := syscall.Kill(pid, 0)
		return err != nil || zombie(pid), fmt.Sprintf("signal 0: %v", err)
	}, "the grandchild is gone")
}

// zombie tells whether a process is dead and only not collected yet: in a
// container the first process may never collect orphans.
func zombie(pid int) bool {
	var name, state string
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, err = fmt.Sscanf(string(stat), "%d %s %s", new(int), &name, &state)
	return err == nil && state == "Z"
}

func TestTerminateEndsAProcess(t *testing.T) {
	t.Parallel()
	child := StartProcess(t, Command{Path: "/bin/sh", Args: []string{"-c", "trap 'exit 4' TERM; echo up; while :; do sleep 0.05; done"}})
	child.WaitFor(t, "up", patience)
	child.Terminate()
	require.Equal(t, 4, child.Wait(t, patience))
}

func TestTemporalIsSharedAndAnswers(t *testing.T) {
	t.Parallel()
	server := Temporal(t)
	require.Same(t, server, Temporal(t))
	require.True(t, devserver.Answering(t.Context(), server.Address))

	own := StartTemporal(t, devserver.Options{UIPort: devserver.NoUI})
	require.NotEqual(t, server.Address, own.Address)
	own.Kill()
	require.False(t, devserver.Answering(t.Context(), own.Address))
	require.True(t, devserver.Answering(t.Context(), server.Address))
}

func TestRepoRootHasTheModule(t *testing.T) {
	t.Parallel()
	require.FileExists(t, filepath.Join(RepoRoot(), "go.mod"))
	require.FileExists(t, filepath.Join(RepoRoot(), "test", "package-lock.json"))
}

func TestBuildShowsWhatTheCompilerSays(t *testing.T) {
	t.Parallel()
	_, err := build("./test/harness/testdata/nothing")
	require.ErrorContains(t, err, "building ./test/harness/testdata/nothing")
	require.ErrorContains(t, err, "directory not found")
}
