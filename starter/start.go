package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// maxRunID keeps ids derived from a run's id within the server's limit, and
// the id fit for an HTTP header.
const maxRunID = 200

// StartOption changes one Start.
type StartOption func(*startOptions)

type startOptions struct {
	id     string
	attach bool
	search bool
}

// WithRunID gives the run this id in place of a new one: 1 to 200
// characters of printable ASCII. Use the id of the business, and starting twice
// is harmless.
func WithRunID(id string) StartOption { return func(o *startOptions) { o.id = id } }

// AttachIfRunning makes Start return the run that already has the id, if it is
// still running. Its request may be another one.
func AttachIfRunning() StartOption { return func(o *startOptions) { o.attach = true } }

// WithSearchAttributes starts the run with the search attributes ErrandStatus
// and ErrandPendingCalls, which it then keeps up to date, an event each time that
// they change: see ListQuery.Pending. The namespace must have both registered
// (Searchable tells), else Start fails.
func WithSearchAttributes() StartOption { return func(o *startOptions) { o.search = true } }

// Start starts a run. request is a Request, JSON as json.RawMessage or []byte,
// or anything that marshals to a request. It is checked before anything is
// sent: see InvalidRequestError and TooLargeError.
//
// An id is used once, also after the run has ended: ErrAlreadyStarted, unless
// AttachIfRunning applies. After ErrNoReply the run may have been started: start
// it again with the same id. A run has no execution time-out; nobody needs to be
// connected while it runs.
func (s *Starter) Start(ctx context.Context, request any, options ...StartOption) (*Run, error) {
	o := startOptions{id: "run_" + ulid.Make().String()}
	for _, option := range options {
		if option != nil {
			option(&o)
		}
	}
	if err := CheckRunID(o.id); err != nil {
		return nil, err
	}
	raw, decoded, err := encodeRequest(request)
	if err != nil {
		return nil, err
	}
	_, err = s.client.ExecuteWorkflow(ctx, s.startOptions(o, decoded), contract.TypeRun, raw)
	if already := new(serviceerror.WorkflowExecutionAlreadyStarted); errors.As(err, &already) {
		return s.existing(ctx, o)
	}
	if err != nil {
		return nil, s.Attach(o.id).wrap(ctx, "start", err)
	}
	return s.Attach(o.id), nil
}

// existing answers a start with an id that is taken.
func (s *Starter) existing(ctx context.Context, o startOptions) (*Run, error) {
	run := s.Attach(o.id)
	if o.attach {
		found, err := run.describe(ctx)
		if err != nil {
			return nil, err
		}
		if !found.closed() {
			return run, nil
		}
	}
	return nil, fmt.Errorf("run %s: %w", o.id, ErrAlreadyStarted)
}

func (s *Starter) startOptions(o startOptions, r contract.Request) client.StartWorkflowOptions {
	prompt := oneLine(promptOf(r.Input), maxLine)
	return client.StartWorkflowOptions{
		ID:        o.id,
		TaskQueue: s.taskQueue,

		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,

		TypedSearchAttributes: o.attributes(),

		StaticSummary: prompt,
		Memo:          map[string]any{memoModel: oneLine(r.Model, maxLine), memoPrompt: prompt},
	}
}

// encodeRequest makes the JSON text that is sent, and reads it the way that
// the run will.
func encodeRequest(request any) (json.RawMessage, contract.Request, error) {
	raw, err := requestJSON(request)
	if err != nil {
		return nil, contract.Request{}, err
	}
	if len(raw) > contract.MaxRequestSize {
		return nil, contract.Request{}, &TooLargeError{"request", len(raw), contract.MaxRequestSize}
	}
	decoded, faults := contract.DecodeRequest(raw)
	if len(faults) > 0 {
		return nil, contract.Request{}, &InvalidRequestError{faults}
	}
	return raw, decoded, nil
}

func requestJSON(request any) (json.RawMessage, error) {
	switch r := request.(type) {
	case json.RawMessage:
		return normalise(r)
	case []byte:
		return normalise(r)
	}
	raw, err := json.Marshal(request)
	if err != nil {
		return nil, &InvalidRequestError{tools.Faults{{Message: "cannot be written as JSON: " + err.Error()}}}
	}
	return raw, nil
}

// normalise writes given JSON the way that it goes over the wire, so that its
// size can be told beforehand.
func normalise(raw []byte) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil // reading it says what is missing
	}
	compact, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return nil, &InvalidRequestError{tools.Faults{{Message: "not JSON: " + err.Error()}}}
	}
	return compact, nil
}

// CheckRunID tells what is wrong with an id for WithRunID, if anything. New ids
// are printable ASCII: Temporal clients send them in a header, and so do calls
// that pass their key on. A run that somebody else has started under another id
// is served like any other by a client made with worker.AnyWorkflowID.
func CheckRunID(id string) error {
	outside := func(r rune) bool { return r < ' ' || r > '~' }
	if id == "" || len(id) > maxRunID || strings.ContainsFunc(id, outside) {
		return fmt.Errorf("run id %q: must be 1 to %d characters of printable ASCII, since it is sent in headers", oneLine(id, 60), maxRunID)
	}
	return nil
}

// What a list of runs shows, kept in the memo of a run.
const (
	memoModel  = "model"
	memoPrompt = "prompt"
	// maxLine is the size of a prompt in a list, in bytes.
	maxLine = 200
)

// promptOf is the text that a run is about: the newest message of the user.
func promptOf(input []json.RawMessage) string {
	for _, raw := range slices.Backward(input) {
		if head, err := item.Peek(raw); err == nil && head.Role == "user" {
			if text := item.Text(raw); text != "" {
				return text
			}
		}
	}
	return ""
}

// oneLine makes one line of text, of at most limit bytes.
func oneLine(text string, limit int) string {
	const ellipsis = "…"
	text = strings.TrimSpace(text)
	if head := 8 * limit; len(text) > head { // no need to look at a megabyte
		text = text[:head]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit - len(ellipsis)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + ellipsis
}
