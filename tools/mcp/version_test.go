package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

func TestServerThatRefusesAVersionItSpeaksIsAskedOnceMore(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		supported string
		refusals  int
		methods   []string
		failure   string
	}{
		{
			name: "once", supported: "2026-07-28", refusals: 1,
			methods: []string{"server/discover", "server/discover", "tools/list", "tools/list"},
		},
		{
			name: "for ever", supported: "2026-07-28", refusals: 100,
			methods: []string{"server/discover", "server/discover", "initialize"}, failure: "unsupported",
		},
		{
			name: "another version", supported: "2027-01-01", refusals: 100,
			methods: []string{"server/discover", "initialize"}, failure: "unsupported",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var heard []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				var m message
				_ = json.Unmarshal(raw, &m)
				mu.Lock()
				heard = append(heard, m.Method)
				refuse := len(heard) <= row.refusals
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				switch {
				case refuse:
					w.WriteHeader(http.StatusBadRequest)
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"unsupported","data":{"supported":[%q],"requested":"2026-07-28"}}}`, m.ID, row.supported)
				case m.Method == "server/discover":
					reply(w, m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"picky","version":"1"}}`)
				default:
					reply(w, m.ID, `{"resultType":"complete","tools":[]}`)
				}
			}))
			t.Cleanup(server.Close)
			servers := over(t, server.URL, func(s *mcpconfig.Server) { s.Protocol = mcpconfig.ProtocolAuto })
			listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad"}, "tools[0]")
			require.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, row.methods, heard)
			if row.failure != "" {
				require.Contains(t, listing.Failure, row.failure)
				return
			}
			require.Empty(t, listing.Failure)
			require.Equal(t, "2026-07-28", listing.Protocol)
		})
	}
}
