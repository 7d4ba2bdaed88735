package starter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.uber.org/zap"

	"errand/workflows/contract"
)

const (
	// listEvery is the pause between two lists of runs, for each page of them.
	// A namespace allows ten pages a second in all.
	listEvery = time.Second
	// listShare bounds the share of the time that listing takes.
	listShare = 10
	// servedPage is how many runs are listed at once: the most there can be.
	servedPage = 1000
	// mayWait leaves out the runs that say that they wait for nobody. Those that
	// were started without the search attribute do not say.
	mayWait = " AND (" + contract.AttributePending + " > 0 OR " + contract.AttributePending + " IS NULL)"
	// unindexedFor is how long a namespace is taken to lack the attribute.
	unindexedFor = 5 * time.Minute
	// keepFor is how long a run is kept that no list has any more.
	keepFor = 10 * time.Second
)

// listing is the runs that go on: their executions by id.
type listing struct {
	executions map[string]string
	// late: there was no list for a while, since the server did not give any.
	late bool
	// err ends ServeAll.
	err error
}

// list gives the runs again and again until ctx ends, and then closes the
// channel.
func (o *office) list(ctx context.Context) <-chan listing {
	lists := make(chan listing)
	go func() {
		defer close(lists)
		trouble := backoff{low: 200 * time.Millisecond, high: 10 * time.Second}
		for {
			late, began := false, time.Now()
			executions, pages, err := o.listed(ctx)
			wait := max(time.Duration(pages)*listEvery, listShare*time.Since(began))
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				late = trouble.current > 0
				trouble.reset()
			case lasting(err):
				err = fmt.Errorf("serve all runs: list them: %w", err)
			default:
				o.log.Warn("runs cannot be listed yet", zap.Error(err))
				wait = trouble.next()
			}
			if err == nil || lasting(err) {
				select {
				case lists <- listing{executions, late, err}:
				case <-ctx.Done():
					return
				}
			}
			// Processes that were started together must not ask together.
			if pause(ctx, wait+rand.N(wait/4+1)) != nil { //nolint:gosec // no secret
				return
			}
		}
	}()
	return lists
}

// listed asks for all runs that may have something open, and tells how many
// pages they took.
func (o *office) listed(ctx context.Context) (executions map[string]string, pages int, err error) {
	if now := time.Now(); now.After(o.unindexedUntil) {
		executions, pages, err = o.matching(ctx, o.filter()+mayWait)
		if !isA[*serviceerror.InvalidArgument](err) {
			return executions, pages, err
		}
		// The namespace has no such search attribute, or the query is wrong.
		o.unindexedUntil = now.Add(unindexedFor)
	}
	return o.matching(ctx, o.filter())
}

// matching asks for the runs that a visibility query picks.
func (o *office) matching(ctx context.Context, query string) (map[string]string, int, error) {
	executions := map[string]string{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: servedPage}
	for pages := 1; ; pages++ {
		limited, cancel := context.WithTimeout(ctx, askTimeout)
		page, err := o.starter.client.ListWorkflow(limited, request)
		cancel()
		if err != nil {
			return nil, pages, err
		}
		for _, found := range page.GetExecutions() {
			executions[found.GetExecution().GetWorkflowId()] = found.GetExecution().GetRunId()
		}
		if len(page.GetNextPageToken()) == 0 {
			return executions, pages, nil
		}
		request.NextPageToken = page.GetNextPageToken()
	}
}

// filter is the visibility query for the runs to serve.
func (o *office) filter() string {
	which := "TaskQueue = " + quote(o.starter.taskQueue)
	if o.options.matching != "" {
		which = "(" + o.options.matching + ")"
	}
	return "WorkflowType = " + quote(contract.TypeRun) + " AND ExecutionStatus = 'Running' AND " + which
}

// learn takes in a list of runs.
func (o *office) learn(l listing) {
	o.pass++
	now := time.Now()
	if l.late {
		o.hurry(now)
	}
	// The order of a map is a different one in every process, so that several
	// do not run after the same calls.
	for id, execution := range l.executions {
		s, known := o.runs[id]
		switch {
		case !known:
			s = o.meet(id, now)
		case s.over && s.execution != execution:
			s = o.meet(id, now) // somebody used the id again
		case s.listed < o.pass-1: // it waits again
			o.queue(s)
		}
		s.listed, s.execution = o.pass, execution
	}
	for id, s := range o.runs {
		idle := len(s.desk.working) == 0 && !s.looking && !s.queued
		if idle && s.listed < o.pass-1 && (s.over || now.Sub(s.movedAt) > keepFor) {
			o.glances.remove(s)
			delete(o.runs, id)
		}
	}
}

// meet takes a run into the office.
func (o *office) meet(id string, now time.Time) *served {
	run := o.starter.Attach(id)
	s := &served{
		clerk:   clerk{run: run, handlers: o.handlers, options: o.options, log: run.log.With(zap.String("owner", o.options.owner))},
		desk:    newDesk(o.options.owner),
		movedAt: now, place: -1, trouble: backoff{low: time.Second, high: latestGlance},
	}
	o.runs[id] = s
	o.queue(s)
	return s
}
