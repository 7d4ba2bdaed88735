// Package test holds the black-box tests: real Temporal server, real HTTP, the
// real command.
package test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/tools/mcp/mcpconfig"
	"errand/worker"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.StopShared()
	os.Exit(code)
}

// patience bounds every wait of a test: long enough for two busy cores.
const patience = 90 * time.Second

// stage is a task queue of its own on the shared server, with a scripted model.
type stage struct {
	t       *testing.T
	queue   string
	client  client.Client
	starter *starter.Starter
	model   *harness.ScriptedModel
	server  string
}

func newStage(t *testing.T, script harness.Script) *stage {
	t.Helper()
	return newStageAt(t, harness.Temporal(t).Address, script)
}

// newStageAt is newStage on a server of the test's own.
func newStageAt(t *testing.T, address string, script harness.Script) *stage {
	t.Helper()
	c := dial(t, address)
	queue := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
	return &stage{
		t: t, queue: queue, client: c, starter: starter.New(c, starter.TaskQueue(queue)),
		model: harness.StartModel(t, script), server: address,
	}
}

func dial(t testing.TB, address string) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: address, Identity: "errand-test", Logger: worker.TemporalLogger(zap.NewNop())})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// config is a worker's configuration on this stage, speaking api.
func (s *stage) config(api string) worker.Config {
	c := worker.DefaultConfig()
	c.Temporal.TaskQueue = s.queue
	c.Models = []worker.Endpoint{{Match: "*", BaseURL: s.model.URL(), API: api}}
	c.Files.Root = s.t.TempDir()
	// Nobody listens there: servers that are down, for requests that name them.
	c.MCP.Servers = []mcpconfig.Server{{Name: "db", URL: "http://127.0.0.1:1/mcp"}, {Name: "s", URL: "http://127.0.0.1:1/mcp"}}
	return c
}

// work runs a worker in this process until the test ends.
func (s *stage) work(api string, options ...worker.Option) {
	s.t.Helper()
	s.workWith(s.config(api), options...)
}

func (s *stage) workWith(config worker.Config, options ...worker.Option) {
	s.t.Helper()
	options = append(options, worker.WithClient(s.client), worker.WithLogger(zap.NewNop()))
	w, err := worker.New(config, options...)
	require.NoError(s.t, err)
	require.NoError(s.t, w.Start(s.t.Context()))
	s.t.Cleanup(w.Stop)
}

// within is a context that ends before the test's patience does.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// workerEnv is the environment of a worker process on this stage.
func (s *stage) workerEnv(more ...string) []string {
	return append([]string{
		"TEMPORAL_ADDRESS=" + s.server, "ERRAND_TASK_QUEUE=" + s.queue,
		"OPENAI_BASE_URL=" + s.model.URL(), "ERRAND_LOG_FORMAT=console", "ERRAND_FILES_ROOT=" + s.t.TempDir(),
	}, more...)
}

// fixed is a platform tool that always says the same.
func fixed(name, text string) worker.Tool {
	return worker.Tool{
		Name: name, Description: "Says " + text, Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{Content: text}, nil },
	}
}

// pendingAction waits until the run waits for a client.
func pendingAction(t *testing.T, run *starter.Run) {
	t.Helper()
	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(t.Context())
		if err != nil {
			return false, err.Error()
		}
		return len(status.Actions) > 0, string(status.Status)
	}, "an open client call")
}

// repeatArguments answers a call with its arguments.
func repeatArguments(_ context.Context, call tools.Invocation) (tools.Output, error) {
	return tools.Output{Content: string(call.Arguments)}, nil
}

func count(text, part string) int { return strings.Count(text, part) }
