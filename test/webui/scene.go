package webui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows"
)

// Scene is a worker, a model and one run on a server: a mixed batch of which
// the worker has done its part, while the call for the client is open. Close
// it.
type Scene struct {
	RunID string

	server *devserver.Server
	files  string
	model  *harness.ScriptedModel
	client client.Client
	worker *worker.Worker
}

// SetScene starts everything and returns when the run waits for its client.
func SetScene(ctx context.Context, server *devserver.Server) (*Scene, error) {
	s := &Scene{RunID: "trip-to-new-york", server: server, model: harness.NewScriptedModel(trip())}
	if err := s.start(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("set the scene: %w", err)
	}
	return s, nil
}

func (s *Scene) start(ctx context.Context) error {
	if err := s.model.Start("127.0.0.1:0"); err != nil {
		return err
	}
	var err error
	if s.files, err = writeFiles(); err != nil {
		return err
	}
	options := client.Options{HostPort: s.server.Address, Logger: worker.TemporalLogger(zap.NewNop())}
	if s.client, err = client.DialContext(ctx, options); err != nil {
		return err
	}
	config := worker.DefaultConfig()
	config.Models = []worker.Endpoint{{Match: "*", BaseURL: s.model.URL(), API: "responses"}}
	config.Files.Root = s.files
	w, err := worker.New(config, worker.WithBuiltins(), worker.WithClient(s.client), worker.WithLogger(zap.NewNop()))
	if err != nil {
		return err
	}
	if err := w.Start(ctx); err != nil {
		return err
	}
	s.worker = w
	run, err := starter.New(s.client).Start(ctx, tripRequest(), starter.WithRunID(s.RunID))
	if err != nil {
		return err
	}
	return untilWaiting(ctx, run)
}

// untilWaiting follows the run until nothing but the client's call is open.
func untilWaiting(ctx context.Context, run *starter.Run) error {
	open, waits := 0, false
	for event, err := range run.Follow(ctx, 0) {
		if err != nil {
			return err
		}
		switch event.Type {
		case workflows.EventToolStart:
			open++
		case workflows.EventToolEnd:
			open--
		case workflows.EventManifest:
			waits = true
		}
		if waits && open == 1 {
			return nil
		}
	}
	return fmt.Errorf("run %s ended without waiting", run.ID())
}

// URL is where the Web UI shows the run; view is a tab such as "history". The
// server finds the newest execution of the run by itself.
func (s *Scene) URL(ctx context.Context, view string) (string, error) {
	found, err := s.client.DescribeWorkflowExecution(ctx, s.RunID, "")
	if err != nil {
		return "", err
	}
	execution := found.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	return fmt.Sprintf("%s/namespaces/default/workflows/%s/%s/%s", s.server.UIURL, s.RunID, execution, view), nil
}

// Close ends all but the server.
func (s *Scene) Close() {
	if s.worker != nil {
		s.worker.Stop()
	}
	if s.client != nil {
		s.client.Close()
	}
	s.model.Close()
	if s.files != "" {
		_ = os.RemoveAll(s.files)
	}
}

// trip is what the model says. It takes its time, as models do, so that the
// timeline has something to show.
func trip() harness.Script {
	return harness.Rounds(
		harness.Say("I will look at what there is.").And(harness.Calls(
			harness.ToolCall{ID: "call_1", Name: "now", Arguments: `{}`},
			harness.ToolCall{ID: "call_2", Name: "list_files", Arguments: `{}`},
		)).WithUsage(412, 38).After(700*time.Millisecond),
		harness.Calls(
			harness.ToolCall{ID: "call_3", Name: "read_file", Arguments: `{"path":"calendar.md"}`},
			harness.ToolCall{ID: "call_4", Name: "get_flight_times", Arguments: `{"departure":"LAX","arrival":"JFK"}`},
			harness.ToolCall{ID: "call_5", Name: "read_file", Arguments: `{"path":"travel-policy.md"}`},
		).WithUsage(547, 91).After(900*time.Millisecond),
		harness.Say("Take the flight at 09:05."),
	)
}

func tripRequest() starter.Request {
	route := json.RawMessage(`{"type":"object","required":["departure","arrival"],
		"properties":{"departure":{"type":"string"},"arrival":{"type":"string"}}}`)
	return starter.Request{
		Model: "gpt-5-mini", Input: "Which flight gets me to New York on Friday in time?",
		Run: starter.RunOptions{ClientTimeout: 72 * time.Hour}, // its timer shows the wait in the timeline
		Tools: []starter.Tool{
			starter.Platform("now"), starter.Platform("list_files"), starter.Platform("read_file"),
			starter.Function("get_flight_times", "Departures of today.", route),
		},
	}
}

// writeFiles fills a directory for the file tools.
func writeFiles() (string, error) {
	dir, err := os.MkdirTemp("", "errand-scene-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"calendar.md":      "Friday, 18:30: dinner in New York.\n",
		"travel-policy.md": "Economy class. No flights before 07:00.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return dir, err
		}
	}
	return dir, nil
}
