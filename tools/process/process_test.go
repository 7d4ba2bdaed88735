//go:build unix

package process_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools/process"
)

func shell(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }

func start(t *testing.T, cmd *exec.Cmd) *process.Child {
	t.Helper()
	child, err := process.Start(cmd)
	require.NoError(t, err)
	t.Cleanup(func() {
		child.Kill()
		<-child.Done()
	})
	return child
}

// saying starts a script, waits until it has written a line, and returns a
// reader that ends when nobody holds its output any more.
func saying(t *testing.T, script string) (*process.Child, *bufio.Reader) {
	t.Helper()
	out, theirs, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = out.Close() })
	cmd := shell(script)
	cmd.Stdout = theirs
	child := start(t, cmd)
	require.NoError(t, theirs.Close())
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	return child, lines
}

func TestTheEndOfAChildIsToldAsText(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct {
		text string
		code int
	}{
		"exit 0":                     {"", 0},
		"exit 3":                     {"exit status 3", 3},
		"kill -9 $$":                 {"signal: killed", -1},
		"sleep 300 >&2 & exit 0":     {"", 0}, // a stream that is held open is no failure
		"exec 2>&-; echo late; true": {"", 0},
	} {
		cmd := shell(script)
		cmd.WaitDelay = 10 * time.Millisecond
		cmd.Stderr = &process.Tail{Limit: 10}
		child := start(t, cmd)
		require.True(t, child.Ended(30*time.Second), script)
		require.Equal(t, want.code, child.ExitCode(), script)
		if want.text == "" {
			require.NoError(t, child.Err(), script)
		} else {
			require.EqualError(t, child.Err(), want.text, script)
		}
	}
}

func TestAProgramThatIsNotThereDoesNotStart(t *testing.T) {
	t.Parallel()
	_, err := process.Start(exec.Command(filepath.Join(t.TempDir(), "absent")))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestAChildLeadsAGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	cmd := shell("echo; sleep 300")
	user := &syscall.Credential{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid()), NoSetGroups: true}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	child := start(t, cmd)
	group, err := syscall.Getpgid(child.PID())
	require.NoError(t, err)
	require.Equal(t, child.PID(), group)
	require.Equal(t, user, cmd.SysProcAttr.Credential, "other attributes are kept")
	require.False(t, child.Ended(time.Millisecond))
}

func TestStopAsksTheWholeGroup(t *testing.T) {
	t.Parallel()
	child, lines := saying(t, `trap "wait; echo leader; exit 4" TERM; sh -c 'trap "echo descendant; exit" TERM; echo; while :; do sleep 0.02; done' & wait`)
	require.NoError(t, child.Stop(t.Context(), 30*time.Second))
	said, err := readAll(lines)
	require.NoError(t, err)
	require.Equal(t, "descendant leader", said)
	require.Equal(t, 4, child.ExitCode())
	require.NoError(t, child.Stop(t.Context(), 0), "stopping twice is harmless")
}

func TestStopKillsWhatDoesNotListen(t *testing.T) {
	t.Parallel()
	given := errors.New("given up")
	for name, want := range map[string]error{"grace": nil, "context": given} {
		child, lines := saying(t, `trap "" TERM; sleep 300 & echo; while :; do wait; done`)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		grace := 10 * time.Millisecond
		if want != nil {
			cancel(want)
			grace = time.Hour
		}
		err := child.Stop(ctx, grace)
		require.ErrorContains(t, err, "killed", name)
		if want != nil {
			require.ErrorIs(t, err, want)
		}
		require.EqualError(t, child.Err(), "signal: killed")
		_, err = readAll(lines)
		require.NoError(t, err, "the descendant held the output open")
	}
}

func TestStopEndsWhatADeadChildHasLeftBehind(t *testing.T) {
	t.Parallel()
	child, lines := saying(t, "sleep 300 & echo")
	require.True(t, child.Ended(30*time.Second))
	require.NoError(t, child.Stop(t.Context(), 0))
	_, err := readAll(lines)
	require.NoError(t, err)
}

// readAll reads what is left, and fails if that has no end.
func readAll(lines *bufio.Reader) (string, error) {
	ended := make(chan string, 1)
	go func() {
		var all strings.Builder
		_, _ = lines.WriteTo(&all)
		ended <- strings.Join(strings.Fields(all.String()), " ")
	}()
	select {
	case said := <-ended:
		return said, nil
	case <-time.After(30 * time.Second):
		return "", errors.New("something still holds the output open")
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	tail := process.Tail{Limit: 12, Log: &log}
	require.Empty(t, tail.Lines(3))
	for _, part := range []string{"one\n", "tw", "o\nthree\nü\xff\n"} {
		n, err := tail.Write([]byte(part))
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}
	require.Equal(t, "o\nthree\nü\uFFFD", tail.Text())
	require.Equal(t, "three\nü\uFFFD", tail.Lines(2))
	require.Equal(t, "one\ntwo\nthree\nü\xff\n", log.String(), "the log gets everything")

	_, err := tail.Write([]byte("ü1234567890x"))
	require.NoError(t, err)
	require.Equal(t, "1234567890x", tail.Text(), "half a character is left out")
}
