package devserver_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/cmd/errand/devserver"
)

func start(t *testing.T, options devserver.Options) *devserver.Server {
	t.Helper()
	server, err := devserver.Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(server.Kill)
	return server
}

// alive asks the kernel, not our own bookkeeping.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	process, err := os.FindProcess(pid)
	require.NoError(t, err)
	return process.Signal(syscall.Signal(0)) == nil
}

func TestStartAnswersAndStopLeavesNoProcess(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "logs", "server.log")
	server := start(t, devserver.Options{
		Namespace:        "tests",
		LogFile:          log,
		SearchAttributes: map[string]string{"ErrandStatus": "Keyword"},
	})
	require.True(t, devserver.Answering(t.Context(), server.Address))
	require.True(t, alive(t, server.PID()))

	response, err := http.Get(server.UIURL)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	_, err = dial(t, server.Address, "tests").ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "indexed", TaskQueue: "nobody", TypedSearchAttributes: temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword("ErrandStatus").ValueSet("queued")),
	}, "Run")
	require.NoError(t, err, "the search attribute must be registered")

	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, server.Stop(t.Context()), "stopping twice is harmless")
	require.False(t, alive(t, server.PID()))
	require.False(t, devserver.Answering(t.Context(), server.Address))
	require.FileExists(t, log)
}

func TestKillEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	server := start(t, devserver.Options{UIPort: devserver.NoUI})
	require.Empty(t, server.UIURL)
	server.Kill()
	require.False(t, alive(t, server.PID()))
	select {
	case <-server.Done():
	default:
		require.Fail(t, "Done is open after Kill")
	}
}

func TestDataSurvivesRestartAndCrash(t *testing.T) {
	t.Parallel()
	options := devserver.Options{
		UIPort: devserver.NoUI,
		DBFile: filepath.Join(t.TempDir(), "new", "directory", "temporal.db"),
	}
	first := start(t, options)
	_, err := dial(t, first.Address, "default").ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: "kept", TaskQueue: "nobody"}, "Run")
	require.NoError(t, err)
	require.NoError(t, first.Stop(t.Context()))

	options.Address = first.Address
	second := start(t, options)
	require.Equal(t, first.Address, second.Address)
	reborn := dial(t, second.Address, "default")
	described, err := reborn.DescribeWorkflow(t.Context(), "kept", "")
	require.NoError(t, err)
	require.Equal(t, "Run", described.WorkflowType.Name)
	_, err = reborn.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{ID: "crashed", TaskQueue: "nobody"}, "Run")
	require.NoError(t, err)
	second.Kill()

	third := start(t, options)
	_, err = dial(t, third.Address, "default").DescribeWorkflow(t.Context(), "crashed", "")
	require.NoError(t, err)
}

func TestAddressInUseBySomethingElse(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	address := silent.Addr().String()
	port := silent.Addr().(*net.TCPAddr).Port

	for name, options := range map[string]devserver.Options{
		"server": {Address: address, UIPort: devserver.NoUI},
		"web UI": {UIPort: port},
	} {
		_, err := devserver.Start(t.Context(), options)
		var inUse *devserver.InUseError
		require.ErrorAs(t, err, &inUse, name)
		require.Equal(t, address, inUse.Address, name)
		require.False(t, inUse.Temporal, name)
		require.ErrorContains(t, err, "choose another port", name)
	}
}

func TestAddressInUseByATemporalServer(t *testing.T) {
	t.Parallel()
	server := start(t, devserver.Options{UIPort: devserver.NoUI})
	_, err := devserver.Start(t.Context(), devserver.Options{Address: server.Address, UIPort: devserver.NoUI})
	var inUse *devserver.InUseError
	require.ErrorAs(t, err, &inUse)
	require.True(t, inUse.Temporal)
	require.ErrorContains(t, err, server.Address+" is in use: a Temporal server already answers there")
}

func TestAServerThatEndsEarlyExplainsItself(t *testing.T) {
	t.Parallel()
	_, err := devserver.Start(t.Context(), devserver.Options{
		UIPort: devserver.NoUI, ExtraDynamicConfig: map[string]string{"some.key": "not JSON"},
	})
	require.ErrorContains(t, err, "ended while it started (exit status 1):\n")
	require.ErrorContains(t, err, "invalid dynamic config values", "its own words are in the error")
}

func TestAServerThatEndsWithoutAWordIsToldInOneLine(t *testing.T) {
	t.Parallel()
	silent := script(t, "silent", "exit 1")
	_, err := devserver.Start(t.Context(), devserver.Options{Binary: silent, UIPort: devserver.NoUI})
	require.Error(t, err)
	require.Regexp(t, `\Athe Temporal dev server for \S+ ended while it started \(exit status 1\)\z`, err.Error())
}

func TestStartStopsWaitingWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	sleeper := script(t, "sleeper", "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := devserver.Start(ctx, devserver.Options{Binary: sleeper, UIPort: devserver.NoUI})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "does not answer")
}

func TestBadAddressIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"7233", "127.0.0.1:many", "127.0.0.1:70000", "a:b:c"} {
		_, err := devserver.Start(t.Context(), devserver.Options{Address: address})
		require.ErrorContains(t, err, "address", address)
	}
}

func TestNothingAnswersBehindASilentListener(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	begin := time.Now()
	require.False(t, devserver.Answering(t.Context(), silent.Addr().String()))
	require.Less(t, time.Since(begin), 5*time.Second)
}

func dial(t *testing.T, address, namespace string) client.Client {
	t.Helper()
	dialled, err := client.DialContext(t.Context(), client.Options{HostPort: address, Namespace: namespace})
	require.NoError(t, err)
	t.Cleanup(dialled.Close)
	return dialled
}
