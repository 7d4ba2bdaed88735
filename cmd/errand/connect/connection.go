package connect

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.uber.org/zap"

	"errand/starter"
	"errand/storage"
	"errand/worker"
	"errand/workflows/contract"
)

// Connection is what the commands about runs work with.
type Connection struct {
	Client    client.Client
	Starter   *starter.Starter
	Address   string
	Namespace string
	Queue     string
	// Storage is where the payloads of runs are that are too large for Temporal.
	Storage converter.ExternalStorage
	// MaxAnswer is the size in bytes of the largest output that answers a call.
	MaxAnswer int
}

// Open dials the server that the settings name. Where large payloads are is
// read from the variables, and the file, that workers are configured by.
func (s Settings) Open(ctx context.Context) (*Connection, error) {
	options, err := s.Options()
	if err != nil {
		return nil, err
	}
	config, err := worker.LoadStorage(s.Environ)
	if err != nil {
		return nil, err
	}
	if options.ExternalStorage, err = storage.Open(ctx, config); err != nil {
		return nil, err
	}
	connected, err := Dial(ctx, options, zap.NewNop())
	if err != nil {
		return nil, err
	}
	queue, most := s.Queue(), max(config.OutputLimit(), contract.MaxAnswerSize)
	return &Connection{
		Client: connected, Starter: starter.New(connected, starter.TaskQueue(queue), starter.LargeAnswers(most)),
		Address: options.HostPort, Namespace: options.Namespace, Queue: queue, Storage: options.ExternalStorage, MaxAnswer: most,
	}, nil
}

// Close ends the connection.
func (c *Connection) Close() { c.Client.Close() }

// staleAfter is when a worker that has not asked for work counts as gone. The
// server lists it for five minutes; a live one asks again every minute.
const staleAfter = 75 * time.Second

// Workers counts those that wait for runs.
func (c *Connection) Workers(ctx context.Context) (int, error) {
	live, err := c.Pollers(ctx)
	return len(live), err
}

// Pollers are the names of the workers that wait for runs.
func (c *Connection) Pollers(ctx context.Context) ([]string, error) {
	limited, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	queue, err := c.Client.DescribeTaskQueue(limited, c.Queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return nil, err
	}
	var live []string
	for _, poller := range queue.GetPollers() {
		if time.Since(poller.GetLastAccessTime().AsTime()) < staleAfter {
			live = append(live, poller.GetIdentity())
		}
	}
	return live, nil
}

// Last stands for the newest run where an id is wanted.
const Last = "last"

// Run is the handle of the run that an argument names.
func (c *Connection) Run(ctx context.Context, id string) (*starter.Run, error) {
	if id != Last {
		return c.Starter.Attach(id), c.check(ctx, id)
	}
	newest, err := c.newest(ctx)
	if err != nil {
		return nil, err
	}
	return c.Starter.Attach(newest.ID), nil
}

// firstLook is how many runs of a list are looked at before it is asked for those
// that are newer: a run of many executions can be the first, and old.
const firstLook = 20

// newest is the run that was started last. A list begins with those that go
// on, or with the one that ended last; few were started after its first ones.
func (c *Connection) newest(ctx context.Context) (starter.Summary, error) {
	var newest starter.Summary
	for _, limit := range []int{firstLook, 0} {
		query := starter.ListQuery{Limit: limit, StartedAfter: newest.Started}
		for one, err := range c.Starter.List(ctx, query) {
			if err != nil {
				return newest, err
			}
			if newest.ID == "" || one.Started.After(newest.Started) {
				newest = one
			}
		}
		if newest.ID == "" {
			return newest, &NoRunsError{c.Queue}
		}
	}
	return newest, nil
}

// check fails if it is certain that an id is not one of a run. A server that is
// away for the moment is met, and waited for, by what comes after it.
func (c *Connection) check(ctx context.Context, id string) error {
	limited, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	found, err := c.Client.DescribeWorkflow(limited, id, "")
	var unknown *serviceerror.NotFound
	switch {
	case errors.As(err, &unknown):
		return About(id, starter.ErrNotFound)
	case err == nil && found.WorkflowType.Name != contract.TypeRun:
		return About(id, &OtherKindError{found.WorkflowType.Name})
	}
	return nil
}

// OtherKindError says that an id is one of a workflow that is no run.
type OtherKindError struct{ Kind string }

func (e *OtherKindError) Error() string {
	return fmt.Sprintf("a workflow of type %q has this id", e.Kind)
}
func (e *OtherKindError) Unwrap() error { return starter.ErrNotFound }

// NoRunsError says that there is no newest run.
type NoRunsError struct{ Queue string }

func (e *NoRunsError) Error() string { return fmt.Sprintf("task queue %q has had no runs", e.Queue) }
func (e *NoRunsError) Unwrap() error { return starter.ErrNotFound }
