package harness

import (
	"context"
	"os"
	"sync"
	"testing"

	"errand/cmd/errand/devserver"
)

// shared is what one test process has one of.
var shared struct {
	temporal  sync.Once
	server    *devserver.Server
	serverErr error
	builds    sync.Map // command → func() (binary string, err error)
}

// Temporal is the dev server of this test process, in memory and on free
// ports. The first test that asks starts it; it ends with the process, or with
// StopShared. Tests share it, so they choose ids and task queues of their own.
func Temporal(t testing.TB) *devserver.Server {
	t.Helper()
	shared.temporal.Do(func() {
		shared.server, shared.serverErr = startTemporal(devserver.Options{})
	})
	if shared.serverErr != nil {
		t.Fatal(shared.serverErr)
	}
	return shared.server
}

// StartTemporal starts a dev server for one test, which may stop, kill and
// start it again as it likes.
func StartTemporal(t testing.TB, options devserver.Options) *devserver.Server {
	t.Helper()
	server, err := startTemporal(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the Temporal dev server at %s wrote:\n%s", server.Address, server.LastOutput())
		}
		server.Kill()
	})
	return server
}

// startTemporal is not bound to a test's context: a shared server outlives the
// test that needed it first.
func startTemporal(options devserver.Options) (*devserver.Server, error) {
	ctx := context.Background()
	if options.Binary == "" {
		binary, err := devserver.Binary(ctx, os.Stderr)
		if err != nil {
			return nil, err
		}
		options.Binary = binary
	}
	return devserver.Start(ctx, options)
}

// StopShared ends what the tests of this process shared. Call it in TestMain
// after the tests. The server is killed: nobody needs its data.
func StopShared() {
	if shared.server != nil {
		shared.server.Kill()
	}
	removeBuilds()
}
