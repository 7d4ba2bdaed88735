package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/session"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// sessions are what was opened for a run, and the Cleanup that will close them
// whatever becomes of it. The exported fields are what a run carries into its
// next execution.
type sessions struct {
	// All are in the order of opening.
	All []*openedSession `json:"all,omitempty"`
	// Cleanups counts those of the chain, started those of this execution.
	Cleanups int `json:"cleanups,omitempty"`
	started  int
	// cleanup is nil until the first session.
	cleanup *cleanupChild
}

// openedSession is one session of a source and where it stands.
type openedSession struct {
	session.Location
	State contract.SessionStatus `json:"state"`
	// Failure says why it is not open. It is the source's own reason if it was
	// Refused, and the machine's otherwise: then a worker may hold it after all.
	Failure string `json:"failure,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	// Closed is true once its worker has closed it of its own accord, and
	// CloseError is what closing it said.
	Closed     bool   `json:"closed,omitempty"`
	CloseError string `json:"close_error,omitempty"`
}

// closedBy is a session as its worker told that it has closed it.
func (a *openedSession) closedBy() session.Closed {
	return session.Closed{Location: a.Location, Error: a.CloseError}
}

// drop forgets a Cleanup that is gone.
func (h *sessions) drop(k *cleanupChild) {
	if h.cleanup == k {
		h.cleanup = nil
	}
}

// latest is the newest session of a source that is open or about to be.
func (h *sessions) latest(source string) *openedSession {
	for i := len(h.All) - 1; i >= 0; i-- {
		a := h.All[i]
		if a.Session.Source == source && (a.State == contract.SessionOpen || a.State == contract.SessionOpening) {
			return a
		}
	}
	return nil
}

// next adds the session that comes after those of the same source.
func (h *sessions) next(run, chain, source string) *openedSession {
	epoch := 1
	for _, a := range h.All {
		if a.Session.Source == source {
			epoch++
		}
	}
	a := &openedSession{
		Location: session.Location{Session: session.ID{RunID: run, Chain: chain, Source: source, Epoch: epoch}},
		State:    contract.SessionOpening,
	}
	h.All = append(h.All, a)
	return a
}

// released takes note of what became of a session at the end.
func (h *sessions) released(one contract.Release) {
	for _, a := range h.All {
		if a.Session.Source != one.Source || a.Session.Epoch != one.Epoch {
			continue
		}
		a.State = contract.SessionClosed
		if one.Error != "" {
			a.State, a.Failure = contract.SessionLost, one.Error
		}
	}
}

// find is the session that somebody names.
func (h *sessions) find(key session.ID) *openedSession {
	for _, a := range h.All {
		if a.Session == key {
			return a
		}
	}
	return nil
}

// maxSessions bounds what the status lists; the newest are kept.
const maxSessions = 100

func (h *sessions) report() []contract.OpenSession {
	var some []contract.OpenSession
	for _, a := range h.All[max(0, len(h.All)-maxSessions):] {
		some = append(some, contract.OpenSession{
			Source: a.Session.Source, Epoch: a.Session.Epoch, Status: a.State, Queue: a.Queue, Error: short(a.Failure),
		})
	}
	return some
}

// sessionFor returns the open session of a source, opening it if need be. All
// callers wait for the same opening; a failed one is the outcome of those who
// waited for it and is not kept.
func (r *run) sessionFor(ctx workflow.Context, c *actions.Call) (*openedSession, *tools.Outcome) {
	source := c.Descriptor.Source
	for ctx.Err() == nil {
		a := r.Sessions.latest(source)
		if a == nil {
			a = r.Sessions.next(r.id, workflow.GetInfo(ctx).FirstRunID, source)
			r.open(ctx, a, r.server(c))
		}
		if workflow.Await(ctx, func() bool { return a.State != contract.SessionOpening }) != nil || ctx.Err() != nil {
			break
		}
		switch a.State {
		case contract.SessionOpen:
			return a, nil
		case contract.SessionFailed:
			o := tools.Fail(tools.Failed, tools.ErrActivationFailed,
				fmt.Sprintf("%s could not be opened, so the call was not run: %s", source, a.Failure))
			return nil, &o
		default: // lost before it was used: once more
		}
	}
	o := cancelledOutcome()
	return nil, &o
}

// open has a worker open a session.
func (r *run) open(ctx workflow.Context, a *openedSession, server *tools.ServerDeclaration) {
	source := a.Session.Source
	k, err := r.keep(ctx)
	if err != nil {
		r.opened(ctx, a, activities.OpenSessionResult{}, err)
		return
	}
	if err := ctx.Err(); err != nil { // cancelled while its Cleanup started
		r.opened(ctx, a, activities.OpenSessionResult{}, err)
		return
	}
	in := activities.OpenSessionInput{Session: a.Session, Cleanup: k.id, Server: server}
	out, err := perform(workflow.WithActivityOptions(ctx, openOptions(a)), acts.OpenSession, in)
	if isType(err, activities.TypeCleanupGone) && r.mayReplace() {
		r.Sessions.drop(k) // somebody ended it; another one takes over what is open
		workflow.GetLogger(ctx).Warn("the run's Cleanup is gone", "source", source)
		r.open(ctx, a, server)
		return
	}
	r.opened(ctx, a, out, err)
}

func (r *run) opened(ctx workflow.Context, a *openedSession, out activities.OpenSessionResult, err error) {
	a.Queue, a.State, a.Failure, a.Refused = out.Queue, contract.SessionOpen, out.Failure, out.Failure != ""
	if err != nil {
		a.Failure = err.Error()
	}
	if a.Failure != "" {
		a.State = contract.SessionFailed
	}
	r.recordSession(ctx, a)
}

func (r *run) recordSession(ctx workflow.Context, a *openedSession) {
	r.record(ctx, contract.Event{
		Type: contract.EventActivation, Source: a.Session.Source, Epoch: a.Session.Epoch,
		Status: string(a.State), Reason: short(a.Failure),
	})
	r.showDetails(ctx)
}

// lose marks a session whose worker does not answer any more. Should it live
// after all, Cleanup gets it to close what it holds.
func (r *run) lose(ctx workflow.Context, a *openedSession) {
	if a.State != contract.SessionOpen {
		return
	}
	a.State = contract.SessionLost
	r.recordSession(ctx, a)
	if k := r.Sessions.cleanup; k != nil {
		k.tell(ctx, SignalLost, a.Session)
	}
}

// takeClosings hears from workers that gave up what they held. As takeSignals it
// leaves in the channel what it cannot take yet.
func (r *run) takeClosings(ctx workflow.Context) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	channel := workflow.GetSignalChannel(ctx, session.SignalClosed)
	for {
		_ = workflow.Await(detached, func() bool { return channel.Len() > 0 })
		r.hearClosings(ctx)
	}
}

func (r *run) closed(ctx workflow.Context, held session.Closed) {
	if a := r.Sessions.find(held.Session); a != nil && a.State == contract.SessionOpen && a.Queue == held.Queue {
		a.State, a.Closed, a.CloseError = contract.SessionLost, true, held.Error
		r.recordSession(ctx, a)
	}
}

// hearClosings takes what workers have sent and nobody has heard yet: at the end
// of an execution it would be lost.
func (r *run) hearClosings(ctx workflow.Context) {
	channel := workflow.GetSignalChannel(ctx, session.SignalClosed)
	var held session.Closed
	for channel.ReceiveAsync(&held) {
		r.closed(ctx, held)
		held = session.Closed{}
	}
}
