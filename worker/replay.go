package worker

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
)

// ErrHistory is what Replay returns, wrapped, for a history that cannot be
// read: the run is unknown, or its history is gone.
var ErrHistory = errors.New("the history cannot be read")

// ReplayError says that this build would not go on with a run: its workflow
// code decides otherwise about the past than the history says.
type ReplayError struct {
	RunID string
	// Events is the length of the history.
	Events int
	Err    error
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("run %s does not replay on this build: %v", e.RunID, e.Err)
}

func (e *ReplayError) Unwrap() error { return e.Err }

// ReplayOptions say how histories are read.
type ReplayOptions struct {
	// DataConverter is the one that the workers use; nil is the SDK's own.
	DataConverter converter.DataConverter
	// ExternalStorage is that of the workers, if they have one.
	ExternalStorage converter.ExternalStorage
}

// Replay fetches the history of a run and runs the workflow code of this build
// over it, as a worker that takes the run over would. Nothing is executed and
// nothing changes on the server. It returns the number of events, and a
// *ReplayError if the code does not fit the history. An empty executionID means
// the newest execution of the run.
func Replay(ctx context.Context, connected client.Client, runID, executionID string, o ReplayOptions) (int, error) {
	history, err := fetch(ctx, connected, runID, executionID)
	if err != nil {
		return 0, fmt.Errorf("worker: replay run %s: %w: %w", runID, ErrHistory, err)
	}
	replayer, err := sdkworker.NewWorkflowReplayerWithOptions(sdkworker.WorkflowReplayerOptions{
		DataConverter: o.DataConverter, ExternalStorage: o.ExternalStorage,
		// A long history, or one with large outputs, takes its time.
		DisableDeadlockDetection: true,
	})
	if err != nil {
		return 0, fmt.Errorf("worker: replay run %s: %w", runID, err)
	}
	registerWorkflows(replayer)
	original := sdkworker.ReplayWorkflowHistoryOptions{
		OriginalExecution: workflow.Execution{ID: runID, RunID: executionID},
	}
	events := len(history.GetEvents())
	history.Events = decided(history.Events)
	if err := replayer.ReplayWorkflowHistoryWithOptions(TemporalLogger(zap.NewNop()), history, original); err != nil {
		return events, &ReplayError{runID, events, err}
	}
	return events, nil
}

// decided is a history up to the last thing that workflow code has decided. The
// SDK does not compare what comes before a workflow task that is just under
// way: a run that a worker looks at in this moment would always replay.
func decided(events []*historypb.HistoryEvent) []*historypb.HistoryEvent {
	for n := len(events); n > 0; n-- {
		switch events[n-1].GetEventType() { //nolint:exhaustive // all others say something
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED, enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
			continue
		}
		if n > 1 {
			return events[:n]
		}
	}
	return events
}

func fetch(ctx context.Context, connected client.Client, runID, executionID string) (*historypb.History, error) {
	history := &historypb.History{}
	events := connected.GetWorkflowHistory(ctx, runID, executionID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, err
		}
		history.Events = append(history.Events, event)
	}
	return history, nil
}
