package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"go.temporal.io/api/serviceerror"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/prompt"
	"errand/cmd/errand/shell"
	"errand/starter"
	"errand/storage"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

// usageError is a command line that cannot be meant.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// endError is the end of a run that did not complete.
type endError struct{ result *contract.Result }

func (e *endError) Error() string { return fmt.Sprintf("run %s: %s", e.result.ID, e.result.Status) }

// problem is what a person or a script is told of an error.
type problem struct {
	Message string       `json:"message"`
	Type    string       `json:"type"`
	Faults  tools.Faults `json:"faults"`
	code    int
}

// Types of problems beside those of runs.
const (
	typeUsage        = "Usage"
	typeIncomplete   = "Incomplete"
	typeCancelled    = "Cancelled"
	typeUnreachable  = "Unreachable"
	typeUnknownRun   = "UnknownRun"
	typeRefused      = "Refused"
	typeDetached     = "Detached"
	typeConfig       = "InvalidConfiguration"
	typeChecksFailed = "ChecksFailed"
	typeStorage      = "Storage"
	typeOther        = "Error"
)

// explain says what an error means here, and what to do about it.
func (a *app) explain(err error) problem {
	var (
		usage    *usageError
		address  *connect.AddressError
		end      *endError
		detached *prompt.DetachedError
		invalid  *starter.InvalidRequestError
		large    *starter.TooLargeError
		config   *worker.Error
		failed   *checksFailedError
		absent   *storage.AbsentError
	)
	switch {
	case errors.As(err, &usage):
		return problem{fmt.Sprintf("%s; see %q", usage, a.commandPath()+" --help"), typeUsage, nil, exitUsage}
	case errors.As(err, &address):
		return problem{fmt.Sprintf("%s; see %q", address, a.commandPath()+" --help"), typeUsage, nil, exitUsage}
	case errors.As(err, &invalid):
		return problem{"the request has " + faults(invalid.Faults), contract.ErrInvalidRequest, invalid.Faults, exitUsage}
	case errors.As(err, &large):
		return problem{large.Error(), contract.ErrLimitExceeded, nil, exitUsage}
	case errors.As(err, &config):
		return problem{config.Subject + " has " + faults(config.Faults), typeConfig, config.Faults, exitFailed}
	case errors.As(err, &failed):
		return problem{failed.Error(), typeChecksFailed, nil, exitFailed}
	case errors.As(err, &absent):
		return problem{absent.Error(), typeStorage, nil, exitFailed}
	case errors.Is(err, starter.ErrStorage):
		return problem{connect.Text(err), typeStorage, nil, exitFailed}
	case errors.As(err, &end):
		return explainEnd(end.result)
	case errors.As(err, &detached):
		return problem{fmt.Sprintf("run %s goes on without you: watch it with %q", detached.RunID, a.usage("attach %s", shell.Quote(detached.RunID))), typeDetached, nil, exitDetached}
	}
	if p, ok := a.explainRefusal(err); ok {
		return p
	}
	if p, ok := a.explainConnection(err); ok {
		return p
	}
	return problem{connect.Text(err), typeOther, nil, exitFailed}
}

func (a *app) commandPath() string {
	if a.command == "" {
		return a.name
	}
	return a.command
}

func faults(all tools.Faults) string {
	if len(all) == 1 {
		return "1 fault"
	}
	return fmt.Sprintf("%d faults", len(all))
}

func explainEnd(r *contract.Result) problem {
	switch r.Status {
	case contract.Incomplete:
		reason := "no reason given"
		if r.Incomplete != nil {
			reason = r.Incomplete.Reason
		}
		return problem{"run incomplete: " + reason, typeIncomplete, nil, exitIncomplete}
	case contract.Cancelled:
		return problem{"run cancelled", typeCancelled, nil, exitCancelled}
	default:
		return explainFailure(r)
	}
}

func explainFailure(r *contract.Result) problem {
	if r.Error == nil {
		return problem{fmt.Sprintf("run %s; it does not say why", r.Status), typeOther, nil, exitFailed}
	}
	p := problem{fmt.Sprintf("run failed (%s): %s", r.Error.Code, r.Error.Message), r.Error.Code, r.Error.Faults, exitFailed}
	switch {
	case len(p.Faults) > 0:
		p.Message = "the request has " + faults(p.Faults)
	case p.Type == "":
		p.Message, p.Type = "run failed: "+r.Error.Message, typeOther
	}
	if r.Error.Code == contract.ErrInvalidRequest {
		p.code = exitUsage
	}
	return p
}

// explainConnection is for what the server or the workers did not do.
func (a *app) explainConnection(err error) (problem, bool) {
	var (
		unreachable *connect.UnreachableError
		down        *serviceerror.Unavailable
		namespace   *serviceerror.NamespaceNotFound
		dialling    *net.OpError
		late        *serviceerror.DeadlineExceeded
		denied      *serviceerror.PermissionDenied
		query       *serviceerror.QueryFailed
		stuck       *diagnose.StuckError
	)
	switch {
	case errors.As(err, &stuck):
		return problem{fmt.Sprintf("run %s does not reply: its workflow task fails (attempt %d): see the worker's log", connect.RunOf(err), stuck.Attempt), typeUnreachable, nil, exitUnreachable}, true
	case errors.As(err, &namespace):
		return problem{fmt.Sprintf("Temporal at %s has no namespace %q: set --namespace or TEMPORAL_NAMESPACE", a.address, namespace.Namespace), typeUnreachable, nil, exitUnreachable}, true
	case errors.As(err, &unreachable):
		return a.unreachable(unreachable.Address, unreachable.Err), true
	case errors.As(err, &down), errors.As(err, &dialling):
		return a.unreachable(a.address, err), true
	case errors.Is(err, starter.ErrNoReply):
		return problem{fmt.Sprintf("no worker replies on task queue %q: start one with %q", a.settings().Queue(), a.usage("worker")), typeUnreachable, nil, exitUnreachable}, true
	case errors.As(err, &late), errors.Is(err, context.DeadlineExceeded) && connect.RunOf(err) != "":
		return problem{fmt.Sprintf("Temporal at %s does not answer in time: try again", a.address), typeUnreachable, nil, exitUnreachable}, true
	case errors.As(err, &denied):
		return problem{fmt.Sprintf("Temporal at %s denies this: %s: check --namespace and TEMPORAL_API_KEY", a.address, denied.Message), typeOther, nil, exitFailed}, true
	case errors.As(err, &query):
		return problem{fmt.Sprintf("the worker cannot read run %s: %s", connect.RunOf(err), query.Message), typeOther, nil, exitFailed}, true
	}
	return problem{}, false
}

func (a *app) unreachable(address string, cause error) problem {
	message := fmt.Sprintf("cannot reach Temporal at %s: start one with %q, or set TEMPORAL_ADDRESS", address, a.usage("dev"))
	// A server that is there and does not understand us is another mistake.
	if _, why, failed := strings.Cut(cause.Error(), "handshake failed: "); failed {
		message = fmt.Sprintf("cannot reach Temporal at %s: %s: check TEMPORAL_TLS_* and TEMPORAL_API_KEY", address, strings.Trim(why, `"`))
	}
	return problem{message, typeUnreachable, nil, exitUnreachable}
}

// explainRefusal is for what a run said no to.
func (a *app) explainRefusal(err error) (problem, bool) {
	var refused *starter.RefusedError
	var closed *starter.ClosedError
	switch {
	case errors.As(err, &refused):
		return problem{refused.Error(), typeRefused, nil, exitRefused}, true
	case errors.Is(err, starter.ErrEnded):
		return problem{"refused: the run has ended and takes nothing more", typeRefused, nil, exitRefused}, true
	case errors.Is(err, starter.ErrNotFound):
		return problem{a.notFound(err), typeUnknownRun, nil, exitUnknownRun}, true
	case errors.Is(err, starter.ErrAlreadyStarted):
		id := connect.RunOf(err)
		return problem{fmt.Sprintf("run %s was already started: choose another --run-id, or watch it with %q", id, a.usage("attach %s", shell.Quote(id))), typeOther, nil, exitFailed}, true
	case errors.As(err, &closed):
		return problem{closedText(closed.Status), typeOther, nil, exitFailed}, true
	}
	return problem{}, false
}

// closedText says how a run has ended that left no result.
func closedText(status contract.Status) string {
	switch status {
	case starter.Terminated:
		return "run terminated: it was closed from outside and has no result"
	case starter.TimedOut:
		return "run timed out: it was started with an execution time-out, and has no result"
	default:
		return fmt.Sprintf("run %s, but its last events cannot be read", status)
	}
}

// notFound says which run there is not.
func (a *app) notFound(err error) string {
	var (
		none  *connect.NoRunsError
		other *connect.OtherKindError
	)
	message := "no such run: " + connect.RunOf(err)
	switch {
	case errors.As(err, &none):
		return fmt.Sprintf("%s: start one with %q", none, a.usage("run"))
	case errors.As(err, &other):
		message += " (" + other.Error() + ")"
	}
	return fmt.Sprintf("%s; list the runs with %q", message, a.usage("ls"))
}
