package activities

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/tools"
)

// ActivateInput asks for one activation.
type ActivateInput struct {
	Activation Activation `json:"activation"`
	// Cleanup is the id of the workflow that deactivates it, whatever becomes of
	// the run.
	Cleanup string `json:"cleanup"`
	// Server is the declaration of a server that the request brought.
	Server *tools.ServerDeclaration `json:"server,omitempty"`
}

// ActivateResult says where the session lives, or why there is none.
type ActivateResult struct {
	// Queue is the task queue of the worker that holds the session.
	Queue string `json:"queue,omitempty"`
	// Failure is the source's own reason; empty when it is open.
	Failure string `json:"failure,omitempty"`
}

// Error types of activations.
const (
	// TypeCleanupGone says that nobody would deactivate what is to be opened.
	TypeCleanupGone = "CleanupGone"
	// TypeNotActivated says that this worker holds no such session. The call did
	// not begin.
	TypeNotActivated = "NotActivated"
)

// Signals from workers to the workflow Cleanup. Both carry Held.
const (
	// SignalOpening comes before anything is opened, so that Cleanup knows of it
	// even if the run ends at that moment.
	SignalOpening = "session_opening"
	// SignalClosed says that a worker closed a session of its own accord. The run
	// is told as well.
	SignalClosed = "session_closed"
)

// Held is an activation and the task queue of the worker that has it.
type Held struct {
	Activation Activation `json:"activation"`
	Queue      string     `json:"queue"`
	// Error is what closing it said; only in SignalClosed.
	Error string `json:"error,omitempty"`
}

// Activate opens a source for a run in this worker (CL-3). An opening that fails
// is a value; an error is about the machine, and Temporal tries again.
func (a *Activities) Activate(ctx context.Context, in ActivateInput) (ActivateResult, error) {
	ctx, done := a.own.until(ctx)
	defer done()
	defer beat(ctx, func() Progress { return Progress{} })()
	opener, reason := a.opener(in.Activation.Source)
	if reason != "" {
		return ActivateResult{Failure: reason}, nil
	}
	held := Held{Activation: in.Activation, Queue: a.own.queue}
	if err := a.engine.SignalWorkflow(ctx, in.Cleanup, "", SignalOpening, held); err != nil {
		return ActivateResult{}, announceError(ctx, err)
	}
	o := Opening{RunID: in.Activation.RunID, Source: in.Activation.Source, Epoch: in.Activation.Epoch, Server: in.Server}
	err := a.own.holder.open(ctx, in.Activation, in.Cleanup, func(ctx context.Context) (Session, error) {
		return opener.Open(ctx, o)
	})
	switch {
	case err == nil:
		return ActivateResult{Queue: a.own.queue}, nil
	case ctx.Err() != nil:
		return ActivateResult{}, stopped(ctx, Progress{})
	case errors.Is(err, errShut):
		return ActivateResult{}, temporal.NewApplicationError(err.Error(), TypeWorkerStopped)
	}
	activity.GetLogger(ctx).Warn("activation failed", "source", in.Activation.Source, "error", err)
	return ActivateResult{Failure: cut(err.Error())}, nil
}

func announceError(ctx context.Context, err error) error {
	var gone *serviceerror.NotFound
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, Progress{})
	case errors.As(err, &gone):
		return temporal.NewNonRetryableApplicationError("the run's Cleanup is gone", TypeCleanupGone, nil)
	}
	return err
}

func (a *Activities) opener(source string) (Opener, string) {
	s, ok := a.sources[source]
	if !ok {
		return nil, fmt.Sprintf("source %q is not known to this worker", source)
	}
	opener, ok := s.(Opener)
	if !ok || a.own.queue == "" {
		return nil, fmt.Sprintf("source %q cannot be opened by this worker", source)
	}
	return opener, ""
}

// DeactivateResult says how a session ended.
type DeactivateResult struct {
	// Closed is false when the worker did not hold it any more.
	Closed bool   `json:"closed,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Deactivate closes a session (CL-5). It runs in the worker that holds it, may be
// repeated, and never fails: what closing said is in its result.
func (a *Activities) Deactivate(ctx context.Context, in Activation) (DeactivateResult, error) {
	defer beat(ctx, func() Progress { return Progress{} })()
	closed, err := a.own.holder.close(ctx, in)
	out := DeactivateResult{Closed: closed}
	if err != nil {
		activity.GetLogger(ctx).Warn("deactivation failed", "source", in.Source, "error", err)
		out.Error = cut(err.Error())
	}
	return out, nil
}
