package starter

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/workflows/contract"
)

// listPage is how many runs are asked for at once.
const listPage = 100

// ListQuery narrows a list. The zero value lists every run of the task queue.
type ListQuery struct {
	// Limit bounds the number of runs; 0 is no bound.
	Limit int
	// Status keeps the runs in one state. The server knows whether a run goes
	// on and how it ended, no more: queued, in_progress and pending_action all
	// mean running, completed includes incomplete. Terminated and TimedOut are
	// taken as well.
	Status Status
	// Pending keeps the runs that may wait for a client or a person: those that
	// say so in their search attributes, and running ones that have none. Ask
	// Run.Status what they wait for. Where the namespace lacks the attributes it
	// keeps every running one.
	Pending bool
	// StartedAfter and StartedBefore bound the start time; zero is no bound. A run
	// that went on in a new execution at or after StartedBefore is left out though
	// it began before: a server does not know it by that time any more.
	StartedAfter, StartedBefore time.Time
}

// Summary is a run in a list.
type Summary struct {
	ID string
	// Status is in_progress, completed, failed, cancelled, or one of
	// Terminated and TimedOut; any other only of runs with search attributes.
	// Ask Run.Status for more.
	Status Status
	// PendingCalls counts what waits for a client or a person, for runs with
	// search attributes; else it is zero.
	PendingCalls int
	// Started is when the run began, in whichever execution it is now.
	Started time.Time
	// Closed is zero while the run goes on.
	Closed time.Time
	Model  string
	// Prompt is the beginning of the newest user message of the request.
	Prompt string
}

// List gives the runs of the task queue: those that go on, the newest first,
// then those that have ended, the last one first. A run that has continued stands
// where its newest execution belongs. A run appears a moment after its start. The
// first error ends the list.
func (s *Starter) List(ctx context.Context, query ListQuery) iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		filter, err := s.filter(ctx, query)
		if err != nil {
			yield(Summary{}, err)
			return
		}
		request := &workflowservice.ListWorkflowExecutionsRequest{Query: filter, PageSize: listPage}
		left := query.Limit
		for {
			page, err := s.client.ListWorkflow(ctx, request)
			if err != nil {
				yield(Summary{}, fmt.Errorf("list runs: %w", err))
				return
			}
			for _, found := range page.GetExecutions() {
				one := s.summary(found)
				if !query.StartedAfter.IsZero() && !one.Started.After(query.StartedAfter) {
					continue // it began before, and went on in a new execution since
				}
				if !yield(one, nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
			if len(page.GetNextPageToken()) == 0 {
				return
			}
			request.NextPageToken = page.GetNextPageToken()
		}
	}
}

// filter is the visibility query. An execution that was continued is not a run
// of its own: the newest of its chain stands for it.
func (s *Starter) filter(ctx context.Context, q ListQuery) (string, error) {
	terms := []string{
		"WorkflowType = " + quote(contract.TypeRun),
		"TaskQueue = " + quote(s.taskQueue),
	}
	if q.Pending {
		q.Status = InProgress
		searchable, err := s.Searchable(ctx)
		if err != nil {
			return "", fmt.Errorf("list runs: %w", err)
		}
		if searchable {
			terms = append(terms, waitsOrSilent)
		}
	}
	if q.Status == "" {
		terms = append(terms, "ExecutionStatus != 'ContinuedAsNew'")
	} else {
		name, known := executionStatus[q.Status]
		if !known {
			return "", fmt.Errorf("list runs: %q is not a status", q.Status)
		}
		terms = append(terms, "ExecutionStatus = "+quote(name))
	}
	if !q.StartedAfter.IsZero() {
		terms = append(terms, "StartTime > "+quote(q.StartedAfter.UTC().Format(time.RFC3339Nano)))
	}
	if !q.StartedBefore.IsZero() {
		terms = append(terms, "StartTime < "+quote(q.StartedBefore.UTC().Format(time.RFC3339Nano)))
	}
	return strings.Join(terms, " AND "), nil
}

var executionStatus = map[Status]string{
	Queued: "Running", InProgress: "Running", PendingAction: "Running",
	Completed: "Completed", Incomplete: "Completed",
	Failed: "Failed", Cancelled: "Canceled",
	Terminated: "Terminated", TimedOut: "TimedOut",
}

func quote(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

func (s *Starter) summary(info *workflowpb.WorkflowExecutionInfo) Summary {
	one := Summary{
		ID:      info.GetExecution().GetWorkflowId(),
		Status:  statusOf(info.GetStatus()),
		Started: info.GetStartTime().AsTime(),
		Model:   s.memo(info.GetMemo(), memoModel),
		Prompt:  s.memo(info.GetMemo(), memoPrompt),
	}
	if began, err := time.Parse(time.RFC3339Nano, s.memo(info.GetMemo(), contract.MemoStarted)); err == nil {
		one.Started = began // this execution is not its first
	}
	if info.GetCloseTime() != nil {
		one.Closed = info.GetCloseTime().AsTime()
	}
	refine(&one, info.GetSearchAttributes())
	return one
}

// memo reads one text of a memo. A run that somebody else started has none.
func (s *Starter) memo(memo *commonpb.Memo, name string) string {
	payload, given := memo.GetFields()[name]
	if !given {
		return ""
	}
	var text string
	if err := s.converter.FromPayload(payload, &text); err != nil {
		return ""
	}
	return text
}

// attributeConverter reads search attributes, which are never encoded by a
// converter of the client's: the server reads them too.
var attributeConverter = converter.GetDefaultDataConverter()

// waitsOrSilent keeps what says that it waits, and what says nothing.
var waitsOrSilent = fmt.Sprintf("(%s = %s OR %s IS NULL)",
	contract.AttributeStatus, quote(string(PendingAction)), contract.AttributeStatus)

var (
	statusKey  = temporal.NewSearchAttributeKeyKeyword(contract.AttributeStatus)
	pendingKey = temporal.NewSearchAttributeKeyInt64(contract.AttributePending)
)

// attributes are the search attributes that a run begins with.
func (o startOptions) attributes() temporal.SearchAttributes {
	if !o.search {
		return temporal.SearchAttributes{}
	}
	return temporal.NewSearchAttributes(
		statusKey.ValueSet(string(Queued)), pendingKey.ValueSet(0))
}

// Searchable tells whether the namespace has the search attributes of runs,
// ErrandStatus (Keyword) and ErrandPendingCalls (Int): see WithSearchAttributes.
func (s *Starter) Searchable(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err := s.client.CountWorkflow(limited, &workflowservice.CountWorkflowExecutionsRequest{
		Query: fmt.Sprintf("%s = 'x' AND %s < 0", contract.AttributeStatus, contract.AttributePending),
	})
	if isA[*serviceerror.InvalidArgument](err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the search attributes: %w", err)
	}
	return true, nil
}

// refine tells what the search attributes know better than the server: what a
// running one is doing, and whether a completed one is incomplete.
func refine(one *Summary, attributes *commonpb.SearchAttributes) {
	var word string
	payload, given := attributes.GetIndexedFields()[contract.AttributeStatus]
	if !given || attributeConverter.FromPayload(payload, &word) != nil {
		return
	}
	status := Status(word)
	switch {
	case one.Status == InProgress && !status.Terminal() && status != "":
		one.Status = status
	case one.Status == Completed && status == Incomplete:
		one.Status = status
	}
	if payload, given = attributes.GetIndexedFields()[contract.AttributePending]; given && one.Closed.IsZero() {
		_ = attributeConverter.FromPayload(payload, &one.PendingCalls) // zero is right for what cannot be read
	}
}
