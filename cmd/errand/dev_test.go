package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/devserver"
	"errand/worker"
)

func TestDevFindsItsAddress(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		environ []string
		address string
		flags   devFlags
		want    string
	}{
		"nothing said": {want: "127.0.0.1:7233"},
		"a port":       {flags: devFlags{port: 17233, portGiven: true}, want: "127.0.0.1:17233"},
		"a variable":   {environ: []string{"TEMPORAL_ADDRESS=localhost:1234"}, want: "localhost:1234"},
		"an address":   {environ: []string{"TEMPORAL_ADDRESS=localhost:1234"}, address: "127.0.0.1:99", want: "127.0.0.1:99"},
		"a port again": {environ: []string{"TEMPORAL_ADDRESS=far.away:1"}, flags: devFlags{port: 5, portGiven: true}, want: "127.0.0.1:5"},
	} {
		a := &app{environ: append(one.environ, "TEMPORAL_CONFIG_FILE=/dev/null"), flags: globals{address: one.address}}
		options, err := a.devOptions(one.flags)
		require.NoError(t, err, name)
		require.Equal(t, one.want, options.HostPort, name)
		require.Equal(t, "default", options.Namespace, name)
	}
}

func TestDevStartsNoServerOnAnotherMachine(t *testing.T) {
	t.Parallel()
	got := call(t, "errand", []string{"TEMPORAL_CONFIG_FILE=/dev/null"}, "", "dev", "--address", "192.0.2.1:7233")
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.err, "can only be started on this machine: use --port")
	for address, want := range map[string]bool{
		"127.0.0.1:1": true, "localhost:1": true, "[::1]:1": true, ":1": true, "127.8.8.8:1": true,
		"10.0.0.1:1": false, "host:1": false, "nonsense": false,
	} {
		require.Equal(t, want, connect.Loopback(address), address)
	}
}

func TestTheWebUIHasItsPortBesideTheServers(t *testing.T) {
	t.Parallel()
	port, err := uiPort("127.0.0.1:17233", 0)
	require.NoError(t, err)
	require.Equal(t, 18233, port)
	port, err = uiPort("127.0.0.1:17233", 9)
	require.NoError(t, err)
	require.Equal(t, 9, port)
	_, err = uiPort("127.0.0.1:65000", 0)
	require.ErrorContains(t, err, "--ui-port")
	_, err = uiPort("127.0.0.1:17233", 17233)
	require.EqualError(t, err, "--ui-port 17233: the server itself listens there: choose another one")
	require.ErrorAs(t, err, new(*usageError))
	require.Empty(t, connect.WebUI("far.away:7233", "default", "run_1"))
	require.Empty(t, connect.WebUI("127.0.0.1:65535", "default", "run_1"))
	require.Equal(t, "http://h:1/namespaces/my%20space/workflows/a%2Fb", connect.RunURL("http://h:1", "my space", "a/b"))
}

func TestATakenPortIsToldWithTheFlagThatHelps(t *testing.T) {
	t.Parallel()
	require.EqualError(t, inUse(&devserver.InUseError{Address: "127.0.0.1:1"}, "127.0.0.1:1"),
		"127.0.0.1:1 is in use by another program that is no Temporal server: stop it, or choose another port with --port")
	require.EqualError(t, inUse(&devserver.InUseError{Address: "127.0.0.1:1001"}, "127.0.0.1:1"),
		"127.0.0.1:1001, meant for the Web UI, is in use: choose another port with --ui-port")
	other := errors.New("disk full")
	require.Equal(t, other, inUse(other, "127.0.0.1:1"))
}

func TestTheSetUpIsShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	config := worker.DefaultConfig()
	config.Temporal.TaskQueue = "q 1"
	config.Models = []worker.Endpoint{{Match: "*", BaseURL: "http://127.0.0.1:8000/v1", API: "chat", APIKey: "sk-secret"}}
	s := newSite(client.Options{HostPort: "127.0.0.1:65000", Namespace: "default"}, nil, config, true)
	out := &recorder{}
	a := &app{name: "errand", std: streams{out: out}}
	require.NoError(t, a.showSite(s))
	require.Equal(t, `
  Temporal    127.0.0.1:65000, namespace default
  Task queue  q 1
  Models *    http://127.0.0.1:8000/v1 (chat, key set)

Try it in another terminal:

  errand run "What time is it?" --tool now --address 127.0.0.1:65000 --task-queue 'q 1'

Ctrl-C stops everything.
`, out.text)
	out.text, a.flags.output = "", outputJSON
	require.NoError(t, a.showSite(s))
	require.JSONEq(t, `{"address":"127.0.0.1:65000","namespace":"default","task_queue":"q 1","worker":true,"started_server":false,
		"models":[{"match":"*","base_url":"http://127.0.0.1:8000/v1","api":"chat","api_key":"[set]"}]}`, out.text)
}

// recorder keeps what is written.
type recorder struct{ text string }

func (r *recorder) Write(p []byte) (int, error) {
	r.text += string(p)
	return len(p), nil
}
