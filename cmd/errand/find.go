package main

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"

	"errand/starter"
	"errand/workflows/contract"
)

// lastRun stands for the newest run where an id is wanted.
const lastRun = "last"

// run is the handle of the run that an argument names.
func (c *connection) run(ctx context.Context, id string) (*starter.Run, error) {
	if id != lastRun {
		return c.starter.Attach(id), c.check(ctx, id)
	}
	newest, err := c.newest(ctx)
	if err != nil {
		return nil, err
	}
	return c.starter.Attach(newest.ID), nil
}

// firstLook is how many runs of a list are looked at before it is asked for those
// that are newer: a run of many executions can be the first, and old.
const firstLook = 20

// newest is the run that was started last. A list begins with those that go
// on, or with the one that ended last; few were started after its first ones.
func (c *connection) newest(ctx context.Context) (starter.Summary, error) {
	var newest starter.Summary
	for _, limit := range []int{firstLook, 0} {
		query := starter.ListQuery{Limit: limit, StartedAfter: newest.Started}
		for one, err := range c.starter.List(ctx, query) {
			if err != nil {
				return newest, err
			}
			if newest.ID == "" || one.Started.After(newest.Started) {
				newest = one
			}
		}
		if newest.ID == "" {
			return newest, &noRunsError{c.queue}
		}
	}
	return newest, nil
}

// check fails if it is certain that an id is not one of a run. A server that is
// away for the moment is met, and waited for, by what comes after it.
func (c *connection) check(ctx context.Context, id string) error {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	found, err := c.client.DescribeWorkflow(limited, id, "")
	var unknown *serviceerror.NotFound
	switch {
	case errors.As(err, &unknown):
		return about(id, starter.ErrNotFound)
	case err == nil && found.WorkflowType.Name != contract.TypeRun:
		return about(id, &otherKindError{found.WorkflowType.Name})
	}
	return nil
}

// otherKindError says that an id is one of a workflow that is no run.
type otherKindError struct{ kind string }

func (e *otherKindError) Error() string {
	return fmt.Sprintf("a workflow of type %q has this id", e.kind)
}
func (e *otherKindError) Unwrap() error { return starter.ErrNotFound }

// noRunsError says that there is no newest run.
type noRunsError struct{ queue string }

func (e *noRunsError) Error() string { return fmt.Sprintf("task queue %q has had no runs", e.queue) }
func (e *noRunsError) Unwrap() error { return starter.ErrNotFound }
