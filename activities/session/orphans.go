package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"errand/tools"
)

// orphansEvery is how often a worker asks whether the runs of its sessions still
// go on.
const orphansEvery = 30 * time.Second

// CloseOrphans closes sessions of runs that have ended, until ctx ends. Cleanup
// has done so long before, but for what nobody told it in time: a session that
// was opened while its run was terminated, or whose worker seemed lost and was
// not.
func (m *Manager) CloseOrphans(ctx context.Context) {
	ticker := time.NewTicker(orphansEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			m.closeOrphans(ctx)
		}
	}
}

func (m *Manager) closeOrphans(ctx context.Context) {
	var wg sync.WaitGroup
	for id := range m.cleanups() {
		if m.RunGoesOn(ctx, id) {
			continue
		}
		wg.Go(func() { _, _ = m.Close(ctx, id) })
	}
	wg.Wait()
}

// RunGoesOn tells whether the run of a session, or a later one of its chain, is
// still open. When in doubt it is.
func (m *Manager) RunGoesOn(ctx context.Context, id ID) bool {
	limited, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	answer, err := m.engine.DescribeWorkflowExecution(limited, id.RunID, "")
	if err != nil {
		var gone *serviceerror.NotFound
		return !errors.As(err, &gone)
	}
	latest := answer.GetWorkflowExecutionInfo()
	other := latest.GetFirstRunId() != "" && latest.GetFirstRunId() != id.Chain
	return latest.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING && !other
}

// CloseAll closes every session of a worker that stops, and tells the run and the
// Cleanup of each, so that nobody waits for this worker.
func (m *Manager) CloseAll(ctx context.Context) {
	m.StopOpening()
	var wg sync.WaitGroup
	for id, cleanup := range m.cleanups() {
		wg.Go(func() {
			closed, err := m.Close(ctx, id)
			if !closed {
				return
			}
			note := Closed{Location: Location{Session: id, Queue: m.queue}}
			if err != nil {
				note.Error, _ = tools.Cut(err.Error(), maxError)
			}
			_ = m.engine.SignalWorkflow(ctx, cleanup, "", SignalClosed, note)
			_ = m.engine.SignalWorkflow(ctx, id.RunID, "", SignalClosed, note)
		})
	}
	wg.Wait()
}

// maxError bounds what closing a session has to say.
const maxError = 2000
