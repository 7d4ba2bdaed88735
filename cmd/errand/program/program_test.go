//go:build unix

package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/program"
	"errand/workflows/contract"
)

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

var call = program.Call{
	RunID: "run_1", ToolCallID: "call_a", ActionID: "act_1_0", Tool: "lookup", Key: "run_1/1/0",
	Arguments: []byte(`{"q":"oslo"}`),
}

func TestAProgramReadsArgumentsAndAnswersOnStandardOutput(t *testing.T) {
	t.Parallel()
	answer, err := program.Run(t.Context(), shell("cat; echo; echo"), call)
	require.NoError(t, err)
	require.Equal(t, program.Answer{Output: `{"q":"oslo"}`}, answer, "newlines at the end are trimmed")
}

func TestAProgramKnowsItsCall(t *testing.T) {
	t.Parallel()
	answer, err := program.Run(t.Context(),
		shell(`echo "$ERRAND_RUN_ID $ERRAND_TOOL_CALL_ID $ERRAND_ACTION_ID $ERRAND_TOOL $ERRAND_KEY"`), call)
	require.NoError(t, err)
	require.Equal(t, "run_1 call_a act_1_0 lookup run_1/1/0", answer.Output)
}

func TestAFailureIsAnAnswerWithTheEndOfStandardError(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"echo no such city >&2; echo out; exit 3": "/bin/sh failed: exit status 3\nno such city",
		"echo only out; exit 1":                   "/bin/sh failed: exit status 1\nonly out",
		"exit 2":                                  "/bin/sh failed: exit status 2",
		"kill -9 $$":                              "/bin/sh failed: signal: killed",
	} {
		answer, err := program.Run(t.Context(), shell(script), call)
		require.NoError(t, err, script)
		require.Equal(t, program.Answer{Output: want, IsError: true}, answer, script)
	}
	answer, err := program.Run(t.Context(), shell("yes complaint | head -c 100000 >&2; echo last >&2; exit 1"), call)
	require.NoError(t, err)
	require.Less(t, len(answer.Output), 5000)
	require.True(t, strings.HasSuffix(answer.Output, "\nlast"))
}

func TestAProgramThatCannotStartIsAnAnswer(t *testing.T) {
	t.Parallel()
	answer, err := program.Run(t.Context(), []string{filepath.Join(t.TempDir(), "absent")}, call)
	require.NoError(t, err)
	require.True(t, answer.IsError)
	require.Contains(t, answer.Output, "could not be started")
}

func TestAProgramThatDoesNotReadItsInputSucceeds(t *testing.T) {
	t.Parallel()
	big := call
	big.Arguments = []byte(strings.Repeat("x", 1<<20))
	answer, err := program.Run(t.Context(), shell("echo done"), big)
	require.NoError(t, err)
	require.Equal(t, program.Answer{Output: "done"}, answer)
}

func TestOutputIsCutToWhatAnAnswerMayHold(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"plain":   "yes | head -c 3000000",
		"quotes":  `yes '"<&>' | head -c 600000`,
		"unicode": "yes 'ü—🙂' | head -c 2000000",
	} {
		answer, err := program.Run(t.Context(), shell(script), call)
		require.NoError(t, err, name)
		require.False(t, answer.IsError, name)
		text, err := json.Marshal(answer.Output)
		require.NoError(t, err, name)
		require.LessOrEqual(t, len(text), contract.MaxAnswerSize, name)
		require.Greater(t, len(text), contract.MaxAnswerSize-4096, name)
		require.Regexp(t, `\n\[cut: the program printed \d+ bytes\]$`, answer.Output, name)
	}
	answer, err := program.Run(t.Context(), shell("head -c 900000 /dev/zero | tr '\\0' x"), call)
	require.NoError(t, err)
	require.Len(t, answer.Output, 900000, "what fits is not cut")
}

func TestInvalidUTF8IsReplaced(t *testing.T) {
	t.Parallel()
	answer, err := program.Run(t.Context(), shell(`printf 'a\377b'`), call)
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", answer.Output)
}

func TestCancellingKillsTheWholeProcessGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "started")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	stop := errors.New("detached")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		// The grandchild keeps the pipe open as long as it lives.
		_, err := program.Run(ctx, shell(`sleep 300 3>"`+pipe+`" & wait`), call)
		ended <- err
	}()
	reader, err := os.Open(pipe) // returns when the grandchild has opened it
	require.NoError(t, err)
	defer func() { _ = reader.Close() }()
	begin := time.Now()
	cancel(stop)
	require.ErrorIs(t, <-ended, stop)
	one := make([]byte, 1)
	n, _ := reader.Read(one) // end of file: nobody holds the other end
	require.Zero(t, n)
	require.Less(t, time.Since(begin), 30*time.Second)
}

func TestFindNamesAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	require.NoError(t, program.Find([]string{"/bin/sh"}))
	require.ErrorContains(t, program.Find([]string{"./absent-tool"}), "./absent-tool is not a program")
}
