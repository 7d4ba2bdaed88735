package mcpconfig_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

func none(string) (string, bool) { return "", false }

func from(pairs ...string) mcpconfig.Lookup {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestAnOrdinaryFileOfServersIsReadAsItIs(t *testing.T) {
	t.Parallel()
	var faults tools.Faults
	all := mcpconfig.Parse([]byte(`{"mcpServers":{
		"files":{"command":"mcp-files","args":["--root","${ROOT}"],"env":{"TOKEN":"${secret:files}"},"cwd":"/srv","autoApprove":["x"]},
		"off":{"command":"x","disabled":true},
		"web":{"type":"streamable-http","url":"https://${HOST}/mcp","headers":{"X-Key":"k ${env:KEY}"},"trusted":true,
			"scope":"run","require_approval":"always","pool_size":2,"idle_timeout":"90s",
			"tools":{"pay":{"effect":"idempotent","writes":true,"timeout":"5s"}}}}}`),
		from("ROOT", "/data", "HOST", "mcp.example.com", "KEY", "v"), from("files", "s3cret"), &faults)
	require.Empty(t, faults)
	require.Len(t, all, 2)
	files, web := all[0], all[1]
	require.Equal(t, []string{"--root", "/data"}, files.Args)
	require.Equal(t, "s3cret", string(files.Env["TOKEN"]))
	require.Equal(t, mcpconfig.ScopeRun, files.Scope, "a process is one run's by default")
	require.Equal(t, 1, files.PoolSize)
	require.Equal(t, "https://mcp.example.com/mcp", web.URL)
	require.Equal(t, "k v", string(web.Headers["X-Key"]))
	require.Equal(t, mcpconfig.TransportHTTP, web.Transport)
	require.Equal(t, mcpconfig.ScopeRun, web.Scope)
	require.Equal(t, 90*time.Second, web.IdleTimeout)
	require.Equal(t, tools.EffectIdempotent, web.Tools["pay"].Effect)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", all, all, all), "s3cret")
}

func TestEveryFaultOfAFileIsListed(t *testing.T) {
	t.Parallel()
	var faults tools.Faults
	all := mcpconfig.Parse([]byte(`{"servers":{},"mcpServers":{
		"a":{"command":"x","url":"http://h/"},
		"b":{},
		"c":{"url":"ftp://h","headers":{"Accept":"x","Idempotency-Key":"y","Bad Name":"z"}},
		"d":{"command":"${NOPE}","args":"x","env":{"K":"${secret:nope}"}},
		"e":{"command":"x","scope":"mine","protocol":"old","pool_size":0,"idle_timeout":"soon","start_timeout":"90000h","require_approval":"maybe",
			"type":"sse","shell":true,"tools":{"t":{"effect":"sometimes","colour":"red","timeout":"2562047h"}}},
		"f":7}}`), none, none, &faults)
	require.Empty(t, all)
	paths := make([]string, len(faults))
	for i, f := range faults {
		paths[i] = strings.TrimPrefix(f.Path, "mcpServers.")
	}
	require.Equal(t, []string{
		"servers", "a", "b", "c.url", "c.headers.Accept", "c.headers.Bad Name", "c.headers.Idempotency-Key",
		"d.command", "d.args", "d.env.K", "e.shell", "e.type", "e.scope", "e.protocol", "e.require_approval", "e.pool_size",
		"e.idle_timeout", "e.start_timeout", "e.tools.t.effect", "e.tools.t.timeout", "e.tools.t.colour", "f",
	}, paths)
}
