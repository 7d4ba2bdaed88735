package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
	"errand/workflows/contract"
)

// cleanupChild is the Cleanup of a run, as the run sees it.
type cleanupChild struct {
	id     string
	future workflow.ChildWorkflowFuture
}

const (
	// maxCleanups bounds how many Cleanups one execution starts: how often one that
	// somebody ended is replaced.
	maxCleanups = 100
	// releaseLimit bounds how long a run that ends waits for its sessions to
	// be closed. Cleanup goes on without it.
	releaseLimit = 30 * time.Second
	// maxChildID keeps the ids of Cleanups under the 1,000 bytes that a server
	// takes.
	maxChildID = 900
)

// cleanupID is the workflow id of the n-th Cleanup of a chain of runs. The chain
// is part of it: an earlier run of the same id may still be cleaned up after.
func cleanupID(run, chain string, n int) string {
	if len(run) > maxChildID {
		run = item.Digest([]byte(run))
	}
	return fmt.Sprintf("%s/cleanup-%s-%d", run, chain[:min(8, len(chain))], n)
}

// keep sees to it that the run has a Cleanup, before anything is opened.
func (r *run) keep(ctx workflow.Context) (*cleanupChild, error) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	for {
		if r.Sessions.cleanup == nil {
			r.Sessions.Cleanups++
			r.Sessions.started++
			r.Sessions.cleanup = r.startCleanup(detached, r.Sessions.Cleanups)
		}
		k := r.Sessions.cleanup
		err := k.future.GetChildWorkflowExecution().Get(detached, nil)
		if err == nil {
			return k, nil
		}
		r.Sessions.drop(k)
		if !temporal.IsWorkflowExecutionAlreadyStartedError(err) || !r.mayReplace() {
			return nil, fmt.Errorf("its Cleanup did not start: %w", err)
		}
	}
}

// mayReplace tells whether a Cleanup that is gone may be replaced.
func (r *run) mayReplace() bool { return r.Sessions.started < maxCleanups }

// takeOver starts the Cleanup of a run that goes on with open sessions. That
// of the execution before leaves once it is there.
func (r *run) takeOver(ctx workflow.Context) {
	if len(r.Sessions.All) == 0 {
		return
	}
	if _, err := r.keep(ctx); err != nil {
		workflow.GetLogger(ctx).Error("nobody cleans up after this run but the workers themselves", "error", err)
	}
}

func (r *run) startCleanup(ctx workflow.Context, n int) *cleanupChild {
	info := workflow.GetInfo(ctx)
	in := CleanupInput{RunID: r.id, Chain: info.FirstRunID, Number: n}
	for _, a := range r.Sessions.All {
		if a.State == contract.SessionOpen || a.State == contract.SessionLost {
			kept := KeptSession{Closed: a.closedBy(), Lost: a.State == contract.SessionLost && !a.Closed, Gone: a.Closed}
			in.Held = append(in.Held, kept)
		}
	}
	k := &cleanupChild{id: cleanupID(r.id, info.FirstRunID, n)}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:        k.id,
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		StaticSummary:     "closes what a run has opened, however it ends",
	})
	k.future = workflow.ExecuteChildWorkflow(ctx, TypeCleanup, in)
	return k
}

// tell sends the Cleanup a signal and does not wait: one that is gone is found
// out by its future.
func (k *cleanupChild) tell(ctx workflow.Context, signal string, payload any) workflow.Future {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	return k.future.SignalChildWorkflow(detached, signal, payload)
}

// release closes every session of the run, once, however it ends. It
// takes at most releaseLimit, and nothing that goes wrong changes the run's end.
func (r *run) release(ctx workflow.Context) {
	k := r.Sessions.cleanup
	if k == nil {
		return
	}
	r.hearClosings(ctx)
	order := ReleaseOrder{}
	for _, a := range r.Sessions.All {
		switch {
		case a.Refused:
			order.Failed = append(order.Failed, a.Session)
		case a.State == contract.SessionOpen || a.State == contract.SessionLost:
			order.Opened = append(order.Opened, a.Location)
			if a.Closed {
				order.Closed = append(order.Closed, a.closedBy())
			}
		}
	}
	told := k.tell(ctx, SignalRelease, order)
	// After a reset the Cleanup is the child of an execution that is gone, and
	// takes no word from this one.
	deaf := func() bool { return told.IsReady() && told.Get(ctx, nil) != nil }
	timed, cancel := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(timed, releaseLimit, workflow.TimerOptions{Summary: "release"})
	_ = workflow.Await(ctx, func() bool { return k.future.IsReady() || deaf() || timer.IsReady() })
	var result CleanupResult
	err := errNotConfirmed
	switch {
	case k.future.IsReady():
		err = k.future.Get(ctx, &result)
	case deaf():
		err = told.Get(ctx, nil)
	}
	if !timer.IsReady() {
		cancel()
	}
	if err != nil {
		result = r.releaseAlone(ctx, err)
	}
	for _, one := range result.Released {
		r.Report.Release = append(r.Report.Release, one)
		r.Sessions.released(one)
		r.record(ctx, contract.Event{
			Type: contract.EventRelease, Source: one.Source, Epoch: one.Epoch, Reason: short(one.Error),
		})
	}
}

var errNotConfirmed = errors.New("not confirmed within " + releaseLimit.String())

// releaseAlone is the release of a run whose Cleanup gave no answer. Where it is
// gone, the run closes what it knows of itself.
func (r *run) releaseAlone(ctx workflow.Context, err error) CleanupResult {
	var result CleanupResult
	c := cleanup{}
	for _, a := range r.Sessions.All {
		if a.State != contract.SessionOpen && a.State != contract.SessionLost {
			continue
		}
		e := c.add(a.Location)
		if a.Closed {
			e.wasClosed(a.CloseError)
		}
	}
	if !errors.Is(err, errNotConfirmed) {
		c.closeAll(ctx)
	}
	for _, e := range c.entries {
		one := e.release()
		if !e.closed {
			one.Error = err.Error()
		}
		result.Released = append(result.Released, one)
	}
	return result
}

func isType(err error, name string) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == name
}
