package worker_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"errand/worker"
)

// silent is a model that is never asked.
type silent struct{}

func (silent) Infer(context.Context, worker.ModelRequest) (worker.ModelAnswer, error) {
	return worker.ModelAnswer{}, nil
}

func idle(t *testing.T, opts ...worker.Option) *worker.Worker {
	t.Helper()
	w, err := worker.New(worker.Config{}, append([]worker.Option{
		worker.WithModel(silent{}), worker.WithLogger(zap.NewNop()),
	}, opts...)...)
	require.NoError(t, err)
	return w
}

func TestRunTakesTasksUntilItsContextEnds(t *testing.T) {
	s := &server{}
	serve(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	w := idle(t)
	go func() { ended <- w.Run(ctx) }()
	<-s.polled
	cancel()
	require.NoError(t, <-ended)
	<-s.stopped // the server was told
	require.ErrorContains(t, w.Run(t.Context()), "started before")
}

func TestStartAndStopServeALifeCycleOfOnesOwn(t *testing.T) {
	s := &server{}
	serve(t, s)
	w := idle(t)
	require.NoError(t, w.Start(t.Context()))
	<-s.polled
	w.Stop()
	w.Stop()
	require.Error(t, w.Start(t.Context()))
}

func TestGivenClientStaysOpen(t *testing.T) {
	s := &server{}
	serve(t, s)
	own, err := worker.Dial(t.Context(), zap.NewNop())
	require.NoError(t, err)
	defer own.Close()
	w := idle(t, worker.WithClient(own))
	require.NoError(t, w.Start(t.Context()))
	w.Stop()
	_, err = own.CheckHealth(t.Context(), &client.CheckHealthRequest{})
	require.NotContains(t, err.Error(), "closing", "the fake has no health service, but the connection is open")
}

func TestForeignClientIsAnErrorAndNoPanic(t *testing.T) {
	t.Parallel()
	w := idle(t, worker.WithClient(struct{ client.Client }{}))
	require.ErrorContains(t, w.Start(t.Context()), "Client must be created with client.Dial()")
}

func TestMissingNamespaceSaysHowToMakeIt(t *testing.T) {
	serve(t, &server{describe: serviceerror.NewNamespaceNotFound("default")})
	err := idle(t).Run(t.Context())
	require.ErrorContains(t, err, `start on task queue "errand"`)
	require.ErrorContains(t, err, "TEMPORAL_NAMESPACE")
}

func TestWorkerThatCannotGoOnSaysWhy(t *testing.T) {
	s := &server{}
	serve(t, s)
	w := idle(t)
	go func() {
		<-s.polled
		w.Fail(serviceerror.NewNamespaceNotFound("default"))
	}()
	err := w.Run(t.Context())
	require.ErrorContains(t, err, `worker: task queue "errand"`)
	var missing *serviceerror.NamespaceNotFound
	require.ErrorAs(t, err, &missing)
	<-s.stopped
}

func TestWhoStartsAWorkerIsToldThatItEnds(t *testing.T) {
	s := &server{}
	serve(t, s)
	w := idle(t)
	require.NoError(t, w.Start(t.Context()))
	<-s.polled
	select {
	case <-w.Done():
		t.Fatal("it goes on")
	default:
	}
	require.NoError(t, w.Err())
	gone := serviceerror.NewNamespaceNotFound("default")
	w.Fail(gone)
	<-w.Done()
	require.ErrorIs(t, w.Err(), gone)
	w.Stop()
	require.ErrorIs(t, w.Err(), gone, "stopping what has ended does not hide why")
}

func TestStopEndsAWorkerWithoutAnError(t *testing.T) {
	s := &server{}
	serve(t, s)
	w := idle(t)
	require.NoError(t, w.Start(t.Context()))
	<-s.polled
	w.Stop()
	<-w.Done()
	require.NoError(t, w.Err())
}

// quiet is an environment in which no profile of the machine's user counts.
func quiet(t *testing.T, variables ...string) []string {
	t.Helper()
	return append([]string{"TEMPORAL_CONFIG_FILE=" + filepath.Join(t.TempDir(), "none.toml")}, variables...)
}

// A configuration and the connection made by it come from the same place.
func TestWorkerConnectsByTheVariablesItsConfigurationWasLoadedFrom(t *testing.T) {
	s := &server{}
	serve(t, s)
	address := os.Getenv("TEMPORAL_ADDRESS")
	pointAt(t, "127.0.0.1:1")
	config, err := worker.LoadConfig(quiet(t, "TEMPORAL_ADDRESS="+address, "TEMPORAL_API_KEY="))
	require.NoError(t, err)
	w, err := worker.New(config, worker.WithModel(silent{}), worker.WithLogger(zap.NewNop()), nil)
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
	<-s.polled
	w.Stop()
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", config, config, config), address)
}

func TestSilenceOfTheServerIsExplained(t *testing.T) {
	pointAt(t, "127.0.0.1:1")
	impatient := func(o *client.Options) { o.ConnectionOptions.GetSystemInfoTimeout = 50 * time.Millisecond }
	err := idle(t, worker.WithClientOptions(impatient)).Run(t.Context())
	require.ErrorContains(t, err, "no Temporal server answers at 127.0.0.1:1")
	require.ErrorContains(t, err, `start one with "errand dev"`)
}

func TestStopWhileConnectingIsNoFailure(t *testing.T) {
	pointAt(t, "127.0.0.1:1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, idle(t).Run(ctx))
}

func TestBrokenProfileIsAnErrorOfDial(t *testing.T) {
	pointAt(t, "")
	t.Setenv("TEMPORAL_PROFILE", "nowhere")
	_, err := worker.Dial(t.Context(), zap.NewNop())
	require.ErrorContains(t, err, "unable to find profile nowhere")
	require.ErrorContains(t, err, "TEMPORAL_PROFILE")
}

func TestStartRemarksOnWhatMayBeAMistake(t *testing.T) {
	s := &server{}
	serve(t, s)
	config, err := worker.LoadConfig(quiet(t, "TEMPORAL_ADDRESS="+os.Getenv("TEMPORAL_ADDRESS"), "ERRAND_MCP_CONFIGS=mcp.json", "ERRAND_LOG_LEVL=debug"))
	require.NoError(t, err)
	core, logs := observer.New(zapcore.WarnLevel)
	w, err := worker.New(config, worker.WithLogger(zap.New(core)))
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
	w.Stop()
	var said []string
	for _, entry := range logs.FilterLoggerName("").All() {
		said = append(said, entry.Message)
	}
	require.Subset(t, said, []string{
		"ERRAND_LOG_LEVL is not a variable of the worker and is ignored",
		"ERRAND_MCP_CONFIGS is not a variable of the worker and is ignored",
		`models matching "*" go to api.openai.com without a key and will be refused: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own`,
	})
}
