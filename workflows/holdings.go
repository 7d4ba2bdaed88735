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

// holdings are the activations of a run, and the Cleanup that will deactivate
// them whatever becomes of it.
type holdings struct {
	// all in the order of opening.
	all []*activation
	// keeper is nil until the first activation.
	keeper *keeper
	// keepers counts the Cleanups of the chain, started those of this execution.
	keepers, started int
}

// activation is one opening of a source and where it stands.
type activation struct {
	session.Location
	state contract.SessionStatus
	// failure says why it is not open. It is the source's own reason if it was
	// refused, and the machine's otherwise: then a worker may hold it after all.
	failure string
	refused bool
	// gone is true once its worker has closed it of its own accord, and parting is
	// what closing it said.
	gone    bool
	parting string
}

// closedBy is an activation as its worker told that it has closed it.
func (a *activation) closedBy() session.Closed {
	return session.Closed{Location: a.Location, Error: a.parting}
}

// drop forgets a Cleanup that is gone.
func (h *holdings) drop(k *keeper) {
	if h.keeper == k {
		h.keeper = nil
	}
}

// latest is the newest activation of a source that is open or about to be.
func (h *holdings) latest(source string) *activation {
	for i := len(h.all) - 1; i >= 0; i-- {
		a := h.all[i]
		if a.Session.Source == source && (a.state == contract.SessionOpen || a.state == contract.SessionOpening) {
			return a
		}
	}
	return nil
}

// next adds the activation that comes after those of the same source.
func (h *holdings) next(run, chain, source string) *activation {
	epoch := 1
	for _, a := range h.all {
		if a.Session.Source == source {
			epoch++
		}
	}
	a := &activation{
		Location: session.Location{Session: session.ID{RunID: run, Chain: chain, Source: source, Epoch: epoch}},
		state:    contract.SessionOpening,
	}
	h.all = append(h.all, a)
	return a
}

// released takes note of what became of an activation at the end.
func (h *holdings) released(one contract.Release) {
	for _, a := range h.all {
		if a.Session.Source != one.Source || a.Session.Epoch != one.Epoch {
			continue
		}
		a.state = contract.SessionClosed
		if one.Error != "" {
			a.state, a.failure = contract.SessionLost, one.Error
		}
	}
}

// find is the activation that somebody names.
func (h *holdings) find(key session.ID) *activation {
	for _, a := range h.all {
		if a.Session == key {
			return a
		}
	}
	return nil
}

// maxSessions bounds what the status lists; the newest are kept.
const maxSessions = 100

func (h *holdings) report() []contract.OpenSession {
	var some []contract.OpenSession
	for _, a := range h.all[max(0, len(h.all)-maxSessions):] {
		some = append(some, contract.OpenSession{
			Source: a.Session.Source, Epoch: a.Session.Epoch, Status: a.state, Queue: a.Queue, Error: short(a.failure),
		})
	}
	return some
}

// activate returns the open activation of a source, opening it if need be. All
// callers wait for the same opening; a failed one is the outcome of those who
// waited for it and is not kept (CL-3).
func (r *run) activate(ctx workflow.Context, c *actions.Call) (*activation, *tools.Outcome) {
	source := c.Descriptor.Source
	for ctx.Err() == nil {
		a := r.holdings.latest(source)
		if a == nil {
			a = r.holdings.next(r.id, workflow.GetInfo(ctx).FirstRunID, source)
			r.open(ctx, a, r.server(c))
		}
		if workflow.Await(ctx, func() bool { return a.state != contract.SessionOpening }) != nil || ctx.Err() != nil {
			break
		}
		switch a.state {
		case contract.SessionOpen:
			return a, nil
		case contract.SessionFailed:
			o := tools.Fail(tools.Failed, tools.ErrActivationFailed,
				fmt.Sprintf("%s could not be opened, so the call was not run: %s", source, a.failure))
			return nil, &o
		default: // lost before it was used: once more
		}
	}
	o := cancelledOutcome()
	return nil, &o
}

// open has a worker open an activation.
func (r *run) open(ctx workflow.Context, a *activation, server *tools.ServerDeclaration) {
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
	out, err := perform(workflow.WithActivityOptions(ctx, activateOptions(a)), acts.OpenSession, in)
	if isType(err, activities.TypeCleanupGone) && r.mayReplace() {
		r.holdings.drop(k) // somebody ended it; another one takes over what is open
		workflow.GetLogger(ctx).Warn("the run's Cleanup is gone", "source", source)
		r.open(ctx, a, server)
		return
	}
	r.opened(ctx, a, out, err)
}

func (r *run) opened(ctx workflow.Context, a *activation, out activities.OpenSessionResult, err error) {
	a.Queue, a.state, a.failure, a.refused = out.Queue, contract.SessionOpen, out.Failure, out.Failure != ""
	if err != nil {
		a.failure = err.Error()
	}
	if a.failure != "" {
		a.state = contract.SessionFailed
	}
	r.noteActivation(ctx, a)
}

func (r *run) noteActivation(ctx workflow.Context, a *activation) {
	r.record(ctx, contract.Event{
		Type: contract.EventActivation, Source: a.Session.Source, Epoch: a.Session.Epoch,
		Status: string(a.state), Reason: short(a.failure),
	})
	r.showDetails(ctx)
}

// lose marks an activation whose worker does not answer any more. Should it live
// after all, Cleanup gets it to close what it holds.
func (r *run) lose(ctx workflow.Context, a *activation) {
	if a.state != contract.SessionOpen {
		return
	}
	a.state = contract.SessionLost
	r.noteActivation(ctx, a)
	if k := r.holdings.keeper; k != nil {
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
	if a := r.holdings.find(held.Session); a != nil && a.state == contract.SessionOpen && a.Queue == held.Queue {
		a.state, a.gone, a.parting = contract.SessionLost, true, held.Error
		r.noteActivation(ctx, a)
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

type holdingsState struct {
	All     []activationState `json:"all,omitempty"`
	Keepers int               `json:"keepers,omitempty"`
}

type activationState struct {
	session.Location
	State   contract.SessionStatus `json:"state"`
	Failure string                 `json:"failure,omitempty"`
	Refused bool                   `json:"refused,omitempty"`
	Gone    bool                   `json:"gone,omitempty"`
	Parting string                 `json:"parting,omitempty"`
}

func (h *holdings) state() holdingsState {
	s := holdingsState{Keepers: h.keepers}
	for _, a := range h.all {
		s.All = append(s.All, activationState{Location: a.Location, State: a.state, Failure: a.failure, Refused: a.refused, Gone: a.gone, Parting: a.parting})
	}
	return s
}

func (h *holdings) restore(s holdingsState) {
	h.keepers = s.Keepers
	for _, a := range s.All {
		h.all = append(h.all, &activation{
			Location: a.Location, state: a.State, failure: a.Failure, refused: a.Refused, gone: a.Gone, parting: a.Parting,
		})
	}
}
