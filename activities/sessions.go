package activities

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/activities/session"
	"errand/tools"
)

// Error types about sessions.
const (
	// TypeCleanupGone says that nobody would close what is to be opened.
	TypeCleanupGone = "CleanupGone"
	// TypeSessionGone says that this worker has no such session. The call did not
	// begin.
	TypeSessionGone = "SessionGone"
)

// Sessions are those that live in the worker of a. It is no method: those of
// Activities are all registered as activities.
func Sessions(a *Activities) *session.Manager { return a.sessions }

// OpenSessionInput asks for one session.
type OpenSessionInput struct {
	Session session.ID `json:"activation"`
	// Cleanup is the id of the workflow that closes it, whatever becomes of the
	// run.
	Cleanup string `json:"cleanup"`
	// Server is the declaration of a server that the request brought.
	Server *tools.ServerDeclaration `json:"server,omitempty"`
}

// OpenSessionResult says where the session lives, or why there is none.
type OpenSessionResult struct {
	// Queue is the task queue of the worker that has the session.
	Queue string `json:"queue,omitempty"`
	// Failure is the source's own reason; empty when it is open.
	Failure string `json:"failure,omitempty"`
}

// OpenSession opens a source for a run in this worker. An opening that fails is a
// value; an error is about the machine, and Temporal tries again.
func (a *Activities) OpenSession(ctx context.Context, in OpenSessionInput) (OpenSessionResult, error) {
	ctx, done := a.shutdown.ends(ctx)
	defer done()
	defer beat(ctx, noDetails)()
	opener, reason := a.opener(in.Session.Source)
	if reason != "" {
		return OpenSessionResult{Failure: reason}, nil
	}
	at := session.Location{Session: in.Session, Queue: a.sessions.Queue()}
	if err := a.engine.SignalWorkflow(ctx, in.Cleanup, "", session.SignalOpening, at); err != nil {
		return OpenSessionResult{}, announceError(ctx, err)
	}
	wanted := tools.SessionSpec{RunID: in.Session.RunID, Source: in.Session.Source, Epoch: in.Session.Epoch, Server: in.Server}
	err := a.sessions.Open(ctx, in.Session, in.Cleanup, func(ctx context.Context) (tools.Session, error) {
		return opener.Open(ctx, wanted)
	})
	switch {
	case err == nil:
		return OpenSessionResult{Queue: at.Queue}, nil
	case ctx.Err() != nil:
		return OpenSessionResult{}, stopped(ctx, Heartbeat{})
	case errors.Is(err, session.ErrStopping):
		return OpenSessionResult{}, temporal.NewApplicationError(err.Error(), TypeWorkerStopped)
	}
	activity.GetLogger(ctx).Warn("a session could not be opened", "source", in.Session.Source, "error", err)
	return OpenSessionResult{Failure: cut(err.Error())}, nil
}

func announceError(ctx context.Context, err error) error {
	var gone *serviceerror.NotFound
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, Heartbeat{})
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
	if !ok || a.sessions.Queue() == "" {
		return nil, fmt.Sprintf("source %q cannot be opened by this worker", source)
	}
	return opener, ""
}

// CloseSessionResult says how a session ended.
type CloseSessionResult struct {
	// Closed is false when the worker did not have it any more.
	Closed bool   `json:"closed,omitempty"`
	Error  string `json:"error,omitempty"`
}

// CloseSession closes a session. It runs in the worker that has it, may be
// repeated, and never fails: what closing said is in its result.
func (a *Activities) CloseSession(ctx context.Context, in session.ID) (CloseSessionResult, error) {
	defer beat(ctx, noDetails)()
	closed, err := a.sessions.Close(ctx, in)
	out := CloseSessionResult{Closed: closed}
	if err != nil {
		activity.GetLogger(ctx).Warn("a session could not be closed", "source", in.Source, "error", err)
		out.Error = cut(err.Error())
	}
	return out, nil
}

// CheckRunInput asks about a run whose Cleanup was told to end.
type CheckRunInput struct {
	// Session names the run and its chain.
	Session session.ID `json:"activation"`
	// Successor is the id of the Cleanup that would take over.
	Successor string `json:"successor"`
}

// CheckRunResult says what a Cleanup has to do.
type CheckRunResult struct {
	// Ended is true when no run of the chain is open any more.
	Ended bool `json:"ended,omitempty"`
	// Relieved is true when the successor is there.
	Relieved bool `json:"relieved,omitempty"`
}

// CheckRun tells whether a run's chain goes on, and who cleans up after it.
func (a *Activities) CheckRun(ctx context.Context, in CheckRunInput) (CheckRunResult, error) {
	_, err := a.engine.DescribeWorkflowExecution(ctx, in.Successor, "")
	var gone *serviceerror.NotFound
	switch {
	case err == nil:
		return CheckRunResult{Relieved: true}, nil
	case !errors.As(err, &gone):
		return CheckRunResult{}, err
	}
	return CheckRunResult{Ended: !a.sessions.RunGoesOn(ctx, in.Session)}, nil
}

// noSession is the error of a call whose session this worker does not have.
func noSession(id session.ID) error {
	return temporal.NewNonRetryableApplicationError("this worker does not have "+id.String(), TypeSessionGone, nil)
}
