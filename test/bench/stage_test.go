package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
)

const (
	toolRead = "read_note"
	toolOnce = "write_note"
	toolSlow = "slow_note"
	toolAsk  = "ask_client" // owned by the client
)

// effects of the worker's tools.
var effects = map[string]tools.Effect{toolRead: tools.EffectRead, toolOnce: tools.EffectOnce, toolSlow: tools.EffectRead}

// stage has both engines on one server, in this process, with one client and
// one model.
type stage struct {
	client  client.Client
	script  *script
	errand  engine
	minimal engine
	lean    engine
}

// engine starts workflows that do a job.
type engine struct {
	name  string
	start func(ctx context.Context, id string, j job) error
}

func newStage(b *testing.B) *stage {
	b.Helper()
	server := harness.Temporal(b)
	c, err := client.Dial(client.Options{HostPort: server.Address, Logger: worker.TemporalLogger(zap.NewNop())})
	require.NoError(b, err)
	b.Cleanup(c.Close)
	s := &stage{client: c, script: newScript()}
	s.errand = s.startErrand(b, b.Name()+"-errand")
	s.minimal = s.startMinimal(b, b.Name()+"-minimal")
	s.lean = s.leanOn(b.Name() + "-minimal")
	return s
}

func (s *stage) startErrand(b *testing.B, queue string) engine {
	b.Helper()
	config := worker.DefaultConfig()
	config.Temporal.TaskQueue = queue
	w, err := worker.New(config, worker.WithClient(s.client), worker.WithLogger(zap.NewNop()),
		worker.WithModel(s.script), worker.WithTools(tool(toolRead), tool(toolOnce), slow()))
	require.NoError(b, err)
	require.NoError(b, w.Start(b.Context()))
	b.Cleanup(w.Stop)
	runs := starter.New(s.client, starter.TaskQueue(queue))
	return engine{name: "errand", start: func(ctx context.Context, id string, j job) error {
		declared := starter.Platform(j.Tool)
		if j.Tool == toolAsk {
			declared = starter.Function(j.Tool, "", json.RawMessage(parameters))
		}
		_, err := runs.Start(ctx, starter.Request{
			Model: "scripted", Input: j.prompt(), Tools: []starter.Tool{declared},
			Run: starter.RunOptions{MaxParallelCalls: j.Window},
		}, starter.WithRunID(id))
		return err
	}}
}

func tool(name string) worker.Tool {
	return worker.Tool{
		Name: name, Parameters: json.RawMessage(parameters), Effect: effects[name], ParallelSafe: true,
		Execute: func(_ context.Context, call tools.Invocation) (tools.Output, error) {
			text, err := execute(call.Arguments)
			return tools.Output{Content: text}, err
		},
	}
}

func (s *stage) startMinimal(b *testing.B, queue string) engine {
	b.Helper()
	w := sdkworker.New(s.client, queue, options())
	w.RegisterWorkflow(Minimal)
	w.RegisterWorkflow(BareWait)
	w.RegisterWorkflow(Lean)
	w.RegisterWorkflow(BareWindow)
	w.RegisterActivity(&minimalActivities{script: s.script})
	require.NoError(b, w.Start())
	b.Cleanup(w.Stop)
	return engine{name: "minimal", start: func(ctx context.Context, id string, j job) error {
		loop := Minimal
		if j.Tool == toolAsk {
			loop = BareWait
		}
		_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, loop, j.prompt())
		return err
	}}
}

// leanOn is the leanest engine, on the workers of Minimal.
func (s *stage) leanOn(queue string) engine {
	return engine{name: "lean", start: func(ctx context.Context, id string, j job) error {
		_, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, Lean, j.prompt())
		return err
	}}
}

// finish waits until a workflow has closed and returns its history. A long
// poll that missed the end, or broke, is asked again.
func (s *stage) finish(ctx context.Context, id string) ([]*history.HistoryEvent, error) {
	for {
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := s.client.GetWorkflow(short, id, "").Get(short, nil)
		cancel()
		var failed *temporal.WorkflowExecutionError
		switch {
		case err == nil:
			return s.history(ctx, id)
		case errors.As(err, &failed) || ctx.Err() != nil:
			return nil, fmt.Errorf("wait for %s: %w", id, err)
		}
	}
}

func (s *stage) history(ctx context.Context, id string) ([]*history.HistoryEvent, error) {
	var all []*history.HistoryEvent
	pages := s.client.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		e, err := pages.Next()
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}
