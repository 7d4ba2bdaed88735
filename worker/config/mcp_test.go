package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/worker/config"
)

func TestServersComeFromAFileAndFromTheConfiguration(t *testing.T) {
	t.Parallel()
	servers := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(servers, []byte(`{"mcpServers":{"db":{"url":"http://db.example/mcp","headers":{"X-Key":"${secret:db}"}}}}`), 0o600))
	c, err := config.Load(written(t, `
mcp:
  hosts: [mcp.example.com]
  secrets: {db: "${DB_TOKEN}"}
  servers:
    files: {command: mcp-files, args: ["${ROOT}"], scope: shared}
`, "ERRAND_MCP_CONFIG="+servers, "ERRAND_MCP_HOSTS=a.example,*.b.example", "DB_TOKEN=t0p-s3cret", "ROOT=/srv"))
	require.NoError(t, err)
	require.Equal(t, []string{"a.example", "*.b.example"}, c.MCP.Hosts)
	require.Len(t, c.MCP.Servers, 2)
	require.Equal(t, "t0p-s3cret", string(c.MCP.Servers[0].Headers["X-Key"]))
	require.Equal(t, []string{"/srv"}, c.MCP.Servers[1].Args)
	require.NotContains(t, c.String(), "t0p-s3cret")
	require.Contains(t, c.String(), `"mcp_servers":["db","files"]`)
}

func TestEveryFaultOfServersIsListedWithTheOthers(t *testing.T) {
	t.Parallel()
	_, err := config.Load(written(t, `
mcp:
  colour: red
  servers:
    files: {command: "${NO_ROOT}"}
    db: {}
log: {level: loud}
`, "ERRAND_MCP_CONFIG=/does/not/exist.json", "ERRAND_MCP_HOSTS=http://a/"))
	for _, want := range []string{
		"mcp.colour", "mcp.servers (mcpServers.files.command)", "mcp.servers (mcpServers.db)", "log.level",
		"ERRAND_MCP_CONFIG", "ERRAND_MCP_HOSTS[0]",
	} {
		require.ErrorContains(t, err, want)
	}
}
