package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"errand/tools"
)

// Kind says what went wrong between the worker and a server.
type Kind string

// Kinds of failures.
const (
	// Unreachable servers could not be started or connected to.
	Unreachable Kind = "unreachable"
	// Refused requests were turned away by the server's HTTP status.
	Refused Kind = "refused"
	// Unauthorized requests lack a credential, or have a wrong one.
	Unauthorized Kind = "unauthorized"
	// Stale requests belong to a session that the server does not know any more.
	Stale Kind = "stale_session"
	// Lost requests left, and no answer came: the connection has ended.
	Lost Kind = "lost"
	// Malformed answers cannot be read, or answer another request.
	Malformed Kind = "malformed"
	// TooLarge answers are over the limit and were dropped.
	TooLarge Kind = "too_large"
	// RPC failures are the server's own JSON-RPC errors.
	RPC Kind = "rpc"
)

// Failure is what went wrong between the worker and a server. A tool's own
// failure is none: that is an answer.
type Failure struct {
	Kind    Kind
	Message string
	// Code and Data are those of a JSON-RPC error.
	Code int
	Data json.RawMessage
	// Status is that of an HTTP answer, RetryAfter what it asks to wait.
	Status     int
	RetryAfter time.Duration
	// Unprocessed says that the server has not taken the request up, so that
	// trying again does no harm.
	Unprocessed bool
}

func (f *Failure) Error() string { return f.Message }

// again tells whether the same request may be sent once more.
func (f *Failure) again(repeatable bool) bool {
	switch f.Kind {
	case Unauthorized, RPC, TooLarge:
		return false
	case Refused:
		return f.Status == 429 || f.Status == 503 || (repeatable && f.Status >= 500)
	case Malformed:
		return repeatable && f.Unprocessed
	case Unreachable, Stale, Lost:
		return f.Unprocessed || repeatable
	}
	return false
}

// failureOf is err as a Failure.
func failureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Kind: Lost, Message: err.Error()}
}

// callError is what a failure means for a call.
func (f *Failure) callError(tool string, repeatable bool) error {
	e := &tools.CallError{Status: tools.Failed, Type: tools.ErrExecutionFailed, Message: f.Message, Detail: f.detail()}
	switch {
	case f.Kind == TooLarge:
		e.Type = tools.ErrOutputTooLarge
		e.Message = fmt.Sprintf("tool %q ran, and its answer was dropped: %s", tool, f.Message)
	case !f.Unprocessed && !repeatable && (f.Kind == Lost || f.Kind == Malformed || f.Kind == Refused && f.Status >= 500):
		e.Status, e.Type = tools.Unknown, tools.ErrOutcomeUnknown
		e.Message = fmt.Sprintf("the outcome of %q is not known: %s. It may have taken place: check before you repeat it", tool, f.Message)
	}
	return e
}

// detail is the failure in the shape of mcp_call.error.
func (f *Failure) detail() json.RawMessage {
	d := struct {
		Type    string `json:"type"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{"mcp_protocol_error", f.Code, f.Message}
	if f.Status >= 400 {
		d.Type, d.Code = "http_error", f.Status
	}
	raw, err := json.Marshal(d)
	if err != nil { // strings and a number always encode
		return nil
	}
	return raw
}

// statusFailure is the failure that an HTTP status means. A 400 is also how
// many servers say that they do not know a session.
func statusFailure(status int, retry time.Duration, text string, hadSession bool) *Failure {
	f := &Failure{Kind: Refused, Status: status, RetryAfter: retry, Unprocessed: status < 500 || status == http.StatusServiceUnavailable}
	f.Message = fmt.Sprintf("the server answered HTTP %d", status)
	if text != "" {
		f.Message += ": " + text
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Kind = Unauthorized
	case hadSession && (status == http.StatusNotFound || status == http.StatusBadRequest):
		f.Kind = Stale
	}
	return f
}
