package crash

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
	"errand/worker"
)

// site is a Temporal server that trials are played on.
type site struct {
	address string
	client  client.Client
	// server is nil where many trials share one.
	server *devserver.Server
	files  devserver.Options
}

// sharedSite is the server of this test process, which nobody kills.
func sharedSite(t *testing.T) *site {
	t.Helper()
	server := harness.Temporal(t)
	return &site{address: server.Address, client: dial(t, server.Address)}
}

// ownSite is a server with its data in a file, to be killed.
func ownSite(t *testing.T) *site {
	t.Helper()
	options := devserver.Options{DBFile: t.TempDir() + "/temporal.db", UIPort: devserver.NoUI}
	server := harness.StartTemporal(t, options)
	options.Address = server.Address
	s := &site{address: server.Address, client: dial(t, server.Address), server: server, files: options}
	t.Cleanup(func() { s.server.Kill() })
	return s
}

// kill is what a power cut does to the server; restart brings it back with its
// file.
func (s *site) kill() { s.server.Kill() }

func (s *site) restart(t testing.TB) {
	t.Helper()
	server, err := devserver.Start(t.Context(), s.files)
	require.NoError(t, err)
	s.server = server
}

func dial(t testing.TB, address string) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address, Identity: "errand-crash", Logger: worker.TemporalLogger(zap.NewNop())})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}
