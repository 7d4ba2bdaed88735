package starter

import (
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
	return &Run{id: runID, client: s.client, answer: s.answer, log: s.log.With(zap.String("run_id", runID))}
}
