package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

// opener is what a source of scope run has.
type opener interface {
	Open(ctx context.Context, o tools.SessionSpec) (tools.Session, error)
}

func TestEachSessionHasAProcessOfItsOwnAndEndsWithIt(t *testing.T) {
	t.Parallel()
	shared, _ := bad(t, "fine")
	_, ok := shared.Sources()["mcp/bad"].(opener)
	require.False(t, ok, "a shared server needs no opening")
	servers, mark := badScoped(t, "fine")
	source, ok := servers.Sources()["mcp/bad"].(opener)
	require.True(t, ok)
	said := map[string]bool{}
	var sessions []tools.Session
	for _, run := range []string{"run_1", "run_2"} {
		session, err := source.Open(t.Context(), tools.SessionSpec{RunID: run, Source: "mcp/bad", Epoch: 1})
		require.NoError(t, err)
		sessions = append(sessions, session)
		for range 2 {
			out, err := session.Execute(t.Context(), "do", invocation("bad"))
			require.NoError(t, err)
			require.Empty(t, out.Warnings)
			said[out.Content.(string)] = true
		}
	}
	require.Len(t, said, 2, "one process a run, and the same one for its calls")
	require.Len(t, marked(t, mark), 2)
	for _, s := range sessions {
		require.NoError(t, s.Close(t.Context()))
		require.NoError(t, s.Close(t.Context()), "closing bears repeating")
	}
}

func TestSessionWhoseProcessDiesStartsAnotherAndSaysWhatIsGone(t *testing.T) {
	t.Parallel()
	servers, mark := badScoped(t, "fine")
	session, err := servers.Sources()["mcp/bad"].(opener).Open(t.Context(), tools.SessionSpec{RunID: "run_1", Source: "mcp/bad", Epoch: 1})
	require.NoError(t, err)
	first, err := session.Execute(t.Context(), "do", invocation("bad"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimPrefix(first.Content.(string), "fine "))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	// A process that is going still has its end of the pipe: what is written
	// then has left.
	require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }, 10*time.Second, time.Millisecond)
	require.Empty(t, marked(t, mark))
	second, err := session.Execute(t.Context(), "do", invocation("bad"))
	require.NoError(t, err)
	require.NotEqual(t, first.Content, second.Content)
	require.Contains(t, strings.Join(second.Warnings, "\n"), "what it remembered of this run is gone")
	require.NoError(t, session.Close(t.Context()))
}

func invocation(server string) tools.Invocation {
	return tools.Invocation{
		Server: &tools.ServerDeclaration{Label: server}, Remote: &tools.Remote{Server: server, Tool: "do"},
		Arguments: json.RawMessage(`{}`), Key: "run/1/0", Effect: tools.EffectOnce, Progress: func(string) {},
	}
}
