package webui

import (
	"context"
	"fmt"
	"os"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
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
		case contract.EventToolStart:
			open++
		case contract.EventToolEnd:
			open--
		case contract.EventManifest:
			waits = true
		default:
		}
		if waits && open == 1 {
			return nil
		}
	}
	return fmt.Errorf("run %s ended without waiting", run.ID())
}

// URL is where the Web UI shows the run; view is a tab such as "history". The
// tabs want the id of the execution as well.
func (s *Scene) URL(ctx context.Context, view string) (string, error) {
	found, err := s.client.DescribeWorkflow(ctx, s.RunID, "")
	if err != nil {
		return "", err
	}
	execution := found.WorkflowExecution.RunID
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
