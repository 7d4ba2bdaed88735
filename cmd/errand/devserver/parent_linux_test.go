package devserver_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
)

const envParent = "DEVSERVER_TEST_PARENT"

// TestMain lets the test binary play the process that owns a server.
func TestMain(m *testing.M) {
	if os.Getenv(envParent) == "" {
		os.Exit(m.Run())
	}
	server, err := devserver.Start(context.Background(), devserver.Options{UIPort: devserver.NoUI})
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	// A server that still has its banner to write would die of the broken pipe,
	// and prove nothing.
	for range time.Tick(10 * time.Millisecond) {
		if strings.Contains(server.LastOutput(), "Metrics:") {
			break
		}
	}
	_, _ = fmt.Fprintln(os.Stdout, server.PID(), server.Address)
	<-server.Done()
}

func TestServerDiesWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), envParent+"=1")
	output, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	var pid int
	var address string
	_, err = fmt.Sscan(line, &pid, &address)
	require.NoError(t, err, line)
	require.True(t, devserver.Answering(t.Context(), address))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait(), "it was killed")
	require.Eventually(t, func() bool { return !alive(t, pid) || zombie(pid) }, 10*time.Second, 20*time.Millisecond,
		"the server outlived its parent")
	require.False(t, devserver.Answering(t.Context(), address))
}

// zombie tells whether a process is dead and only not collected yet: in a
// container the first process may never collect orphans.
func zombie(pid int) bool {
	var name, state string
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, err = fmt.Sscanf(string(stat), "%d %s %s", new(int), &name, &state)
	return err == nil && state == "Z"
}

func TestServerIsOutOfReachOfCtrlC(t *testing.T) {
	t.Parallel()
	server := start(t, devserver.Options{UIPort: devserver.NoUI})
	group, err := syscall.Getpgid(server.PID())
	require.NoError(t, err)
	require.Equal(t, server.PID(), group, "it must lead a process group of its own")
	require.NotEqual(t, syscall.Getpgrp(), group)
}
