// Package starter lets a Go service start, follow, serve, answer and cancel
// runs. It talks to a Temporal server only; the runs themselves are executed
// by workers, which may be anywhere.
//
// A [Starter] wraps a Temporal client. [Starter.Start] takes a request, checks
// it before anything is sent, and returns a [Run]: a handle that holds nothing
// but the run's id, so [Starter.Attach] makes an equal one in any process at
// any time.
//
//	s := starter.New(temporalClient)
//	run, err := s.Start(ctx, starter.Request{
//		Model: "gpt-5-mini",
//		Input: "When does the next flight to Oslo leave?",
//		Tools: []starter.Tool{starter.Function("get_flight_times", "Departures of today.", schema)},
//	})
//
// Calls to the tools that the request declares as functions come back to
// whoever started the run. [Run.Serve] answers them with Go functions until
// the run ends. Each call is claimed first, so that several processes may
// serve one run and a crashed one is replaced after its lease:
//
//	err = run.Serve(ctx, starter.Handlers{"get_flight_times": departures})
//
// [Starter.ServeAll] does that for every run of a task queue, whoever started
// it. [Run.PollAction] takes one step of it, and [Run.WatchRun] only tells what
// is open.
//
// A person, or a process that takes days, answers with [Run.Answer] and
// [Run.Approve] instead; [Run.Status] lists what is open.
//
// [Run.Follow] gives every event of a run as it happens, [Run.Conversation]
// and [Run.Traces] what it has said and done so far, and [Run.Result] waits for
// the end. A failed or cancelled run has a result too: what it did is not lost.
//
// # Errors
//
// [ErrNotFound] and [ErrEnded] say that there is no such run, or no longer.
// [ErrNoReply] says that the server or the workers did not reply in time.
// Queries (Status, Events, Conversation, Traces) and everything that is
// answered (Answer, Approve, Claim, Send) need a worker that is up; starting,
// cancelling and listing do not.
//
// All methods may be used by several goroutines at once.
package starter

import (
	"context"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.uber.org/zap"

	"errand/workflows/contract"
)

// Starter starts and finds runs on one Temporal namespace and task queue. The
// client stays the caller's: a Starter never closes it.
type Starter struct {
	client    client.Client
	taskQueue string
	converter converter.DataConverter
	log       *zap.Logger
	// answer is the size in bytes of the largest output that is sent.
	answer int
}

// Option changes how a Starter works.
type Option func(*Starter)

// TaskQueue names the task queue that the workers listen on; the default is
// contract.DefaultTaskQueue.
func TaskQueue(name string) Option { return func(s *Starter) { s.taskQueue = name } }

// Logger takes what nobody returns: retries, lost claims, panics of handlers.
// The default is no logging.
func Logger(log *zap.Logger) Option {
	return func(s *Starter) {
		if log != nil {
			s.log = log
		}
	}
}

// DataConverter must be the one that the client was made with, if it was made
// with any. List reads memos with it.
func DataConverter(dc converter.DataConverter) Option {
	return func(s *Starter) {
		if dc != nil {
			s.converter = dc
		}
	}
}

// LargeAnswers raises the limit of an output that answers a call to what the
// workers keep of one, in bytes: the max_output of their external storage. The
// client needs that storage too; see package storage.
func LargeAnswers(limit int) Option {
	return func(s *Starter) { s.answer = max(limit, contract.MaxAnswerSize) }
}

// New makes a Starter from a connected client. Where the workers store large
// payloads outside of Temporal, the client needs the same ExternalStorage: see
// package storage.
func New(c client.Client, options ...Option) *Starter {
	s := &Starter{
		client:    c,
		taskQueue: contract.DefaultTaskQueue,
		converter: converter.GetDefaultDataConverter(),
		log:       zap.NewNop(),
		answer:    contract.MaxAnswerSize,
	}
	for _, option := range options {
		if option != nil {
			option(s)
		}
	}
	return s
}

// Attach is the handle of a run that exists already. Nothing is sent: an id
// that does not exist shows as ErrNotFound when the handle is used.
func (s *Starter) Attach(runID string) *Run {
	return &Run{id: runID, starter: s, client: s.client, log: s.log.With(zap.String("run_id", runID))}
}

// namespace is the one of the client, which does not tell: it puts it into
// requests that name none. Nothing is sent here, since the context has ended.
func (s *Starter) namespace(ctx context.Context) string {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	request := &workflowservice.CountWorkflowExecutionsRequest{}
	_, _ = s.client.CountWorkflow(ended, request)
	return request.GetNamespace()
}
