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

// discovery is the runs that go on: their executions by id.
type discovery struct {
	executions map[string]string
	// late: there was none for a while, since the server did not give any.
	late bool
	// err ends the dispatcher.
	err error
}

// lister finds the runs of a ServeAll.
type lister struct {
	starter  *Starter
	matching string
	log      *zap.Logger
	// unindexedUntil: the namespace lacks the search attribute until then.
	unindexedUntil time.Time
}

// runs gives the runs again and again until ctx ends, and then closes the
// channel.
func (l *lister) runs(ctx context.Context) <-chan discovery {
	lists := make(chan discovery)
	go func() {
		defer close(lists)
		trouble := backoff{low: 200 * time.Millisecond, high: 10 * time.Second}
		for {
			late, began := false, time.Now()
			executions, pages, err := l.listed(ctx)
			wait := max(time.Duration(pages)*listEvery, listShare*time.Since(began))
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				late = trouble.current > 0
				trouble.reset()
			case permanent(err):
				err = fmt.Errorf("serve all runs: list them: %w", err)
			default:
				l.log.Warn("runs cannot be listed yet", zap.Error(err))
				wait = trouble.next()
			}
			if err == nil || permanent(err) {
				select {
				case lists <- discovery{executions, late, err}:
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
func (l *lister) listed(ctx context.Context) (executions map[string]string, pages int, err error) {
	if now := time.Now(); now.After(l.unindexedUntil) {
		executions, pages, err = l.all(ctx, l.filter()+mayWait)
		if !isA[*serviceerror.InvalidArgument](err) {
			return executions, pages, err
		}
		// The namespace has no such search attribute, or the query is wrong.
		l.unindexedUntil = now.Add(unindexedFor)
	}
	return l.all(ctx, l.filter())
}

// all asks for the runs that a visibility query picks.
func (l *lister) all(ctx context.Context, query string) (map[string]string, int, error) {
	executions := map[string]string{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: servedPage}
	for pages := 1; ; pages++ {
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		page, err := l.starter.client.ListWorkflow(limited, request)
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
func (l *lister) filter() string {
	which := "TaskQueue = " + quote(l.starter.taskQueue)
	if l.matching != "" {
		which = "(" + l.matching + ")"
	}
	return "WorkflowType = " + quote(contract.TypeRun) + " AND ExecutionStatus = 'Running' AND " + which
}

// moves tells of this run at first and whenever it has moved, until ctx ends;
// then it closes the channel.
func (r *Run) moves(ctx context.Context) <-chan discovery {
	moves := make(chan discovery)
	go func() {
		defer close(moves)
		w := r.watch(ctx)
		defer func() { w.stop() }()
		idle := backoff{low: time.Second, high: 16 * time.Second}
		trouble := backoff{low: 50 * time.Millisecond, high: 5 * time.Second}
		for {
			err := w.await(ctx, r, &idle)
			if over := w.over(); over && err == nil && permanent(w.err) {
				err = w.err
			}
			select {
			case moves <- discovery{executions: map[string]string{r.id: ""}, err: err}:
			case <-ctx.Done():
			}
			if err != nil {
				return
			}
			if !w.over() {
				trouble.reset()
				continue
			}
			if pause(ctx, trouble.next()) != nil {
				return
			}
			w = r.watch(ctx) // it has continued, or could not be read
		}
	}()
	return moves
}
