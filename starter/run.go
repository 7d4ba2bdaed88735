package starter

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/tools"
	"errand/workflows/contract"
)

const (
	// requestTimeout bounds one question to the server or a worker.
	requestTimeout = 10 * time.Second
	// eventsPage is how many events are asked for at once.
	eventsPage = 200
)

// Run is a handle of one run. It holds the id only, never an open connection,
// and follows the run wherever it continues.
type Run struct {
	id      string
	starter *Starter
	client  client.Client
	log     *zap.Logger
}

// ID is the run's id, which is its workflow id as well.
func (r *Run) ID() string { return r.id }

// Status asks how the run stands and what is open: calls that wait for a
// client, approvals that wait for a person. It works after the end as well.
// Errors: ErrNotFound; ErrNoReply while no worker is up.
func (r *Run) Status(ctx context.Context) (StatusReport, error) {
	report, err := queryRun[StatusReport](ctx, r, contract.QueryStatus)
	if isA[*serviceerror.WorkflowNotReady](err) {
		// Closed before a worker had taken it, it never gets more ready: the
		// server knows all that there is.
		if s, err := r.describe(ctx); err == nil && s.closedOutside() {
			report.RunID = r.id
			return s.closing(report), nil
		}
	}
	if err != nil || report.Status.Terminal() {
		return report, err
	}
	// A run that was closed from outside never got to say so itself.
	if s, err := r.describe(ctx); err == nil && s.closedOutside() {
		return s.closing(report), nil
	}
	return report, nil
}

// Events asks for one page of the events after a number; 0 is the beginning.
// Ask again with EventsPage.Next. Follow does this live.
func (r *Run) Events(ctx context.Context, after int) (EventsPage, error) {
	return queryRun[EventsPage](ctx, r, contract.QueryEvents,
		contract.EventsQuery{After: after, Limit: eventsPage})
}

// Conversation gives every item of the conversation so far, in order. The
// first error ends it.
func (r *Run) Conversation(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return pages(func(q contract.PageQuery) ([]json.RawMessage, int, bool, error) {
		page, err := queryRun[contract.ItemsPage](ctx, r, contract.QueryConversation, q)
		return page.Items, page.Next, page.Done, err
	})
}

// Traces gives the record of every call that has been settled so far. The
// first error ends it.
func (r *Run) Traces(ctx context.Context) iter.Seq2[tools.Trace, error] {
	return pages(func(q contract.PageQuery) ([]tools.Trace, int, bool, error) {
		page, err := queryRun[contract.TracesPage](ctx, r, contract.QueryTraces, q)
		return page.Traces, page.Next, page.Done, err
	})
}

// queryRun sends one query and decodes the answer.
func queryRun[T any](ctx context.Context, r *Run, query string, args ...any) (T, error) {
	var answer T
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	value, err := r.client.QueryWorkflow(limited, r.id, "", query, args...)
	if err != nil {
		return answer, r.wrap(ctx, "query "+query+" of", err)
	}
	if err := value.Get(&answer); err != nil {
		return answer, fmt.Errorf("query %s of run %s: %w: %w", query, r.id, errUnreadable, err)
	}
	return answer, nil
}

// pages reads page after page until one says that it is the last.
func pages[T any](read func(contract.PageQuery) ([]T, int, bool, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := contract.PageQuery{MaxBytes: contract.MaxPageSize}
		for {
			entries, next, done, err := read(query)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, entry := range entries {
				if !yield(entry, nil) {
					return
				}
			}
			if done || next <= query.From {
				return
			}
			query.From = next
		}
	}
}

// state is what the server itself knows of a run, without a worker.
type state struct {
	status enumspb.WorkflowExecutionStatus
	// execution tells the executions of a run apart that continues as new.
	execution string
	// length is the number of events in its history.
	length int64
}

// closed tells whether the run has ended in any way.
func (s state) closed() bool { return s.runStatus().Terminal() || s.closedOutside() }

// closedOutside tells whether the run was ended without a word of its own.
func (s state) closedOutside() bool { return s.runStatus() == Terminated || s.runStatus() == TimedOut }

func (s state) runStatus() Status { return statusOf(s.status) }

// closing is a report of a run that was closed from outside: nothing is open.
func (s state) closing(report StatusReport) StatusReport {
	report.Status = s.runStatus()
	report.Actions, report.Approvals = []OpenAction{}, []OpenApproval{}
	return report
}

// statusOf maps what the server tells of an execution. It cannot tell
// incomplete from completed, nor a waiting run from a busy one.
func statusOf(s enumspb.WorkflowExecutionStatus) Status {
	switch s {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return Completed
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
		return Failed
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		return Cancelled
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return Terminated
	case enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return TimedOut
	default: // running, paused, or just being continued
		return InProgress
	}
}

// describe asks the server how the newest execution of the run stands.
func (r *Run) describe(ctx context.Context) (state, error) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	found, err := r.client.DescribeWorkflow(limited, r.id, "")
	if err != nil {
		return state{}, r.wrap(ctx, "look at", err)
	}
	if kind := found.WorkflowType.Name; kind != contract.TypeRun {
		return state{}, fmt.Errorf("%s is a workflow of type %q: %w", r.id, kind, ErrNotFound)
	}
	return state{status: found.Status, execution: found.WorkflowExecution.RunID, length: int64(found.HistoryLength)}, nil
}
