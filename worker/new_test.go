package worker_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/tools"
	"errand/worker"
)

func TestNewListsEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	_, err := worker.New(worker.Config{
		Temporal: worker.Temporal{TaskQueue: "__temporal_x"},
		Fetch:    worker.Fetch{Hosts: []string{"https://x"}},
		Log:      worker.Log{Level: "loud"},
		Limits:   worker.Limits{Activities: -1},
	},
		worker.WithBeforeToolCall(nil), worker.WithAfterToolCall(nil), worker.WithModel(nil),
		worker.WithClient(nil), worker.WithClientOptions(nil), worker.WithLogger(nil),
		worker.WithClient(struct{ client.Client }{}), worker.WithClientOptions(func(*client.Options) {}),
	)
	require.EqualError(t, err, `worker: 12 faults in the worker's set-up:
  temporal.task_queue: "__temporal_x": starts like Temporal's own task queues: choose another name
  fetch.hosts[0]: "https://x": must be a host alone, such as "docs.example.com"
  log.level: "loud": must be one of debug, info, warn, error
  limits.activities: -1: must be at least 1
  WithBeforeToolCall: the hook is nil: pass one, or leave the option out
  WithAfterToolCall: the hook is nil: pass one, or leave the option out
  WithModel: the model is nil: pass one, or leave the option out
  WithClient: the client is nil: pass one, or leave the option out
  WithClientOptions: the function is nil: pass one, or leave the option out
  WithLogger: the logger is nil: pass one, or leave the option out
  WithClientOptions: has no effect beside WithClient: set the options where that client is made
  models: no endpoint: use a configuration of LoadConfig, name one here, or give WithModel`)
}

func TestNewChecksEndpointsThatAProgramMade(t *testing.T) {
	t.Parallel()
	_, err := worker.New(worker.Config{Models: []worker.Endpoint{
		{Match: "", BaseURL: "nowhere", API: "soap", Timeout: -1, IdleTimeout: 1 << 62},
		{Match: "*", APIKey: "a\nb"},
	}})
	require.EqualError(t, err, `worker: 6 faults in the worker's set-up:
  models[0].match: "": must not be empty: write "*" for every model
  models[0].base_url: (not shown): must be a URL such as http://127.0.0.1:8000/v1
  models[0].api: "soap": must be one of responses, chat
  models[0].timeout: -1ns: must not be negative
  models[0].idle_timeout: 1281023h53m38.427387904s is too long: write at most "87600h"
  models[1]: APIKey: holds a space at an end or a control character; remove it (often a trailing newline)`)
}

func TestNewChecksEveryTool(t *testing.T) {
	t.Parallel()
	run := func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, nil }
	_, err := worker.New(worker.Config{}, worker.WithModel(silent{}), worker.WithBuiltins(), worker.WithTools(
		worker.Tool{Name: "search", Execute: run},
		worker.Tool{Name: "search", Execute: run},
		worker.Tool{Name: "no body"},
		worker.Tool{Name: "bad_schema", Execute: run, Parameters: json.RawMessage(`{"type":"strnig"}`)},
		worker.Tool{Name: "now", Execute: run},
	))
	var faults *worker.Error
	require.ErrorAs(t, err, &faults)
	paths := make([]string, 0, len(faults.Faults))
	for _, fault := range faults.Faults {
		paths = append(paths, fault.Path)
	}
	require.Equal(t, []string{
		"tools[1].name", "tools[2].name", "tools[2].execute", "tools[3].parameters", "tools[5].name",
	}, paths)
}

func TestNewFillsInWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	_, err := worker.New(worker.Config{Models: []worker.Endpoint{{Match: "*"}}}, worker.WithBuiltins())
	require.NoError(t, err)
}
