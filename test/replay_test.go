package test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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
			require.NoError(t, replayer(t).ReplayWorkflowHistoryFromJSONFile(worker.TemporalLogger(zap.NewNop()), file))
		})
	}
}

func replayer(t *testing.T) sdkworker.WorkflowReplayer {
	t.Helper()
	r := sdkworker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: workflows.TypeRun})
	return r
}

// keepHistory replays the history of a run that has just ended, and writes it
// into the corpus if ERRAND_RECORD names a release.
func (s *stage) keepHistory(shape, runID string) {
	s.t.Helper()
	s.keep(shape, fetchHistory(s.t, s.client, runID))
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
	require.NoError(s.t, replayer(s.t).ReplayWorkflowHistory(worker.TemporalLogger(zap.NewNop()), h))
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
