package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// bad is a server of this mode over pipes, and a mark that its processes carry.
func bad(t *testing.T, mode string) (servers *mcp.Servers, mark string) {
	t.Helper()
	return badIn(t, mode, nil)
}

// badScoped is one that is opened for each run.
func badScoped(t *testing.T, mode string) (servers *mcp.Servers, mark string) {
	t.Helper()
	return badIn(t, mode, func(s *mcpconfig.Server) { s.Scope = mcpconfig.ScopeRun })
}

func badIn(t *testing.T, mode string, change func(*mcpconfig.Server)) (servers *mcp.Servers, mark string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	mark = fmt.Sprintf("ERRAND_TEST_MARK=%s-%d", filepath.Base(t.TempDir()), time.Now().UnixNano())
	_, value, _ := strings.Cut(mark, "=")
	s := mcpconfig.Server{
		Name: "bad", Command: self, Env: map[string]tools.Secret{badMode: tools.Secret(mode), "ERRAND_TEST_MARK": tools.Secret(value)},
		StartTimeout: 15 * time.Second,
	}
	if change != nil {
		change(&s)
	}
	servers = mcp.New(mcp.Options{Servers: []mcpconfig.Server{s}})
	t.Cleanup(func() {
		servers.Close()
		require.Eventually(t, func() bool { return len(marked(t, mark)) == 0 }, 10*time.Second, 20*time.Millisecond,
			"a process was left behind")
	})
	return servers, mark
}

func call(ctx context.Context, s *mcp.Servers, server string, effect tools.Effect, progress func(string)) (tools.Output, error) {
	if progress == nil {
		progress = func(string) {}
	}
	return s.Execute(ctx, tools.Invocation{
		Server: &tools.ServerDeclaration{Label: server}, Remote: &tools.Remote{Server: server, Tool: "do"},
		Arguments: json.RawMessage(`{}`), Key: "run/1/0", Effect: effect, Progress: progress,
	})
}

// growth runs what is given and returns by how many bytes the heap grew.
func growth(run func()) int {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	done, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), now.HeapInuse))
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
	}()
	run()
	close(done)
	<-sampled
	return int(peak.Load()) - int(before.HeapInuse)
}

const mostGrowth = 200 << 20

func TestMisbehavingProcessesGiveTypedOutcomesInTime(t *testing.T) { //nolint:paralleltest // memory is measured
	for _, row := range []struct {
		mode, want string
		status     tools.OutcomeStatus
	}{
		{mode: "wrong id", want: tools.ErrTimedOut},
		{mode: "no answer", want: tools.ErrTimedOut},
		{mode: "256 MiB", status: tools.Failed, want: tools.ErrOutputTooLarge},
		{mode: "endless line", status: tools.Failed, want: tools.ErrOutputTooLarge},
		{mode: "dies", status: tools.Unknown, want: tools.ErrOutcomeUnknown},
		{mode: "stops reading", want: tools.ErrTimedOut},
		{mode: "grandchild", want: tools.ErrTimedOut},
		{mode: "garbage"},
		{mode: "slow start"},
		{mode: "asks"},
	} {
		t.Run(row.mode, func(t *testing.T) {
			servers, _ := bad(t, row.mode)
			grown := growth(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				listing, err := servers.List(ctx, tools.ServerDeclaration{Label: "bad"}, "tools[0]")
				require.NoError(t, err)
				require.Empty(t, listing.Failure)
				limit := 20 * time.Second
				if row.want == tools.ErrTimedOut {
					limit = 2 * time.Second
				}
				limited, stop := context.WithTimeout(ctx, limit)
				defer stop()
				out, err := call(limited, servers, "bad", tools.EffectOnce, nil)
				var failed *tools.CallError
				switch row.want {
				case "":
					require.NoError(t, err)
					require.False(t, out.IsError)
				case tools.ErrTimedOut:
					require.ErrorIs(t, err, context.DeadlineExceeded)
				default:
					require.ErrorAs(t, err, &failed)
					require.Equal(t, row.want, failed.Type, failed.Message)
					require.Equal(t, row.status, failed.Status)
				}
			})
			require.Less(t, grown, mostGrowth)
		})
	}
}

func TestServerThatDiesOnListIsAFailedListingWithItsLastWords(t *testing.T) {
	t.Parallel()
	servers, _ := bad(t, "dies on list")
	listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad"}, "tools[0]")
	require.NoError(t, err)
	require.Contains(t, listing.Failure, "exit status 7")
	require.Contains(t, listing.Failure, "MISSING_KEY")
	require.Empty(t, listing.Faults)
}

func TestLostProcessIsStartedAgain(t *testing.T) {
	t.Parallel()
	servers, _ := bad(t, "dies")
	for range 2 { // each gets a process of its own
		_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
		var failed *tools.CallError
		require.ErrorAs(t, err, &failed)
		require.Equal(t, tools.Unknown, failed.Status)
	}
	_, err := call(t.Context(), servers, "bad", tools.EffectRead, nil)
	var failed *tools.CallError
	require.ErrorAs(t, err, &failed, "a call that may be repeated was, and failed each time")
	require.Equal(t, tools.Failed, failed.Status)
}

func TestProgressKeyAndGarbageOverPipes(t *testing.T) {
	t.Parallel()
	servers, _ := bad(t, "garbage")
	heard := make(chan string, 10)
	out, err := call(t.Context(), servers, "bad", tools.EffectOnce, func(s string) { heard <- s })
	require.NoError(t, err)
	require.Equal(t, "done run/1/0", out.Content)
	require.Equal(t, "1/2 half", <-heard)
}

func TestOddResultLosesNothing(t *testing.T) {
	t.Parallel()
	servers, _ := bad(t, "odd result")
	out, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.Equal(t, "kept\n{\"type\":\"hologram\",\"x\":1}\nplain", out.Content)
}

func TestServersGetNoVariablesOfTheWorkerThatAreNotNamed(t *testing.T) {
	t.Setenv("ERRAND_TEST_SECRET", "hidden")
	servers, mark := bad(t, "fine")
	_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.NotEmpty(t, marked(t, mark))
	for _, p := range marked(t, mark) {
		pid, _, _ := strings.Cut(p, " ")
		environ, err := os.ReadFile("/proc/" + pid + "/environ")
		require.NoError(t, err)
		require.NotContains(t, string(environ), "ERRAND_TEST_SECRET")
		require.Contains(t, string(environ), "PATH=")
	}
}
