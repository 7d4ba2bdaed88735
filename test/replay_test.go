package test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"

	"errand/worker"
	"errand/workflows"
	"errand/workflows/contract"
)

const recorded = "testdata/history"

// TestReplayOfRecordedHistories runs today's code over what earlier builds
// wrote: runs in flight must go on after an upgrade.
func TestReplayOfRecordedHistories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(recorded, "*", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no recorded histories: run make record")
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.Open(file)
			require.NoError(t, err)
			defer func() { _ = text.Close() }()
			h, err := client.HistoryFromJSON(text, client.HistoryJSONOptions{})
			require.NoError(t, err)
			require.NoError(t, replay(t, h))
		})
	}
}

// replay runs today's code over a history, under the ids that it had: those of
// children follow from them.
func replay(t *testing.T, h *historypb.History) error {
	t.Helper()
	started := h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
	return replayer(t).ReplayWorkflowHistoryWithOptions(worker.TemporalLogger(zap.NewNop()), h, sdkworker.ReplayWorkflowHistoryOptions{
		OriginalExecution: workflow.Execution{ID: started.GetWorkflowId(), RunID: started.GetOriginalExecutionRunId()},
	})
}

func replayer(t *testing.T) sdkworker.WorkflowReplayer {
	t.Helper()
	r, err := sdkworker.NewWorkflowReplayerWithOptions(sdkworker.WorkflowReplayerOptions{
		DisableDeadlockDetection: true, // a busy machine takes its time
	})
	require.NoError(t, err)
	r.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeRun})
	r.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeDelegated})
	r.RegisterWorkflowWithOptions(workflows.Cleanup, workflow.RegisterOptions{Name: workflows.TypeCleanup})
	return r
}

// keepHistory replays the history of a run that has just ended, and writes it
// into the corpus, with those of its children, if ERRAND_RECORD names a release.
func (s *stage) keepHistory(shape, runID string) {
	s.t.Helper()
	h := fetchHistory(s.t, s.client, runID)
	s.keep(shape, h)
	for _, e := range h.GetEvents() {
		if child := e.GetChildWorkflowExecutionStartedEventAttributes(); child != nil {
			s.keep(shape+"-"+strings.ToLower(child.GetWorkflowType().GetName()), fetchHistory(s.t, s.client, child.GetWorkflowExecution().GetWorkflowId()))
		}
	}
}

// keepChain does so with every execution of a run.
func (s *stage) keepChain(shape string, chain []*historypb.History) {
	s.t.Helper()
	for i, h := range chain {
		s.keep(fmt.Sprintf("%s-%d", shape, i+1), h)
	}
}

func (s *stage) keep(shape string, h *historypb.History) {
	s.t.Helper()
	require.NoError(s.t, replay(s.t, h))
	release := os.Getenv("ERRAND_RECORD")
	if release == "" {
		return
	}
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(h)
	require.NoError(s.t, err)
	host, err := os.Hostname() // part of the name of a worker's own queue
	require.NoError(s.t, err)
	text = bytes.ReplaceAll(text, []byte(host+":"), []byte("host:"))
	dir := filepath.Join(recorded, release)
	require.NoError(s.t, os.MkdirAll(dir, 0o755))
	require.NoError(s.t, os.WriteFile(filepath.Join(dir, shape+".json"), append(text, '\n'), 0o644))
}

func fetchHistory(t *testing.T, c client.Client, runID string) *historypb.History {
	t.Helper()
	h := &historypb.History{}
	events := c.GetWorkflowHistory(within(t), runID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(t, err)
		h.Events = append(h.Events, e)
	}
	return h
}
