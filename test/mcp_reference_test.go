package test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// reference is the script of one of the reference servers, installed at the
// version that test/package-lock.json has.
func reference(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(harness.RepoRoot(), "test")
	path, err := harness.NPM(dir, "node_modules/@modelcontextprotocol/server-"+name+"/dist/index.js")
	require.NoError(t, err)
	return path
}

// markVariable marks the processes of one test's servers, and what they start.
const markVariable = "ERRAND_TEST_MARK"

// marked adds a mark to a server, and checks at the end of the test that no
// process with it is left.
func marked(t testing.TB, s mcpconfig.Server) mcpconfig.Server {
	t.Helper()
	mark := strings.ReplaceAll(t.Name(), "/", "-") + "-" + filepath.Base(t.TempDir()) + "-" + time.Now().Format("150405.000000000")
	env := map[string]tools.Secret{markVariable: tools.Secret(mark)}
	for name, value := range s.Env {
		env[name] = value
	}
	s.Env = env
	t.Cleanup(func() {
		harness.Eventually(t, 20*time.Second, func() (bool, string) {
			left := withMark(t, mark)
			return len(left) == 0, strings.Join(left, "; ")
		}, "no process of the server left")
	})
	return s
}

func withMark(t testing.TB, mark string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && strings.Contains(string(environ), mark) {
			command, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
			all = append(all, e.Name()+" "+string(command))
		}
	}
	return all
}

// freePort is one that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close() //nolint:errcheck // it is only asked for its port
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// everything starts server-everything over HTTP or SSE on a port.
func everything(t testing.TB, kind, port string) *harness.Process {
	t.Helper()
	p := harness.StartProcess(t, harness.Command{
		Path: "node", Args: []string{reference(t, "everything"), kind}, Env: []string{"PORT=" + port},
	})
	harness.Eventually(t, patience, func() (bool, string) {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false, err.Error()
		}
		return c.Close() == nil, ""
	}, "server-everything listening")
	return p
}

// reach is the shared servers of one test.
func reach(t testing.TB, all ...mcpconfig.Server) *mcp.Servers {
	t.Helper()
	servers := mcp.New(mcp.Options{Servers: all})
	t.Cleanup(servers.Close)
	return servers
}
