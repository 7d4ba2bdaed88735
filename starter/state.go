package starter

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/workflows/contract"
)

// state is what the server itself knows of a run, without a worker.
type state struct {
	status enumspb.WorkflowExecutionStatus
	// execution tells the executions of a run apart that continues as new.
	execution string
	// length is the number of events in its history.
	length int64
}

// closed tells whether the run has ended in any way.
func (s state) closed() bool { return s.word().Terminal() || s.abrupt() }

// abrupt tells whether the run was ended without a word of its own.
func (s state) abrupt() bool { return s.word() == Terminated || s.word() == TimedOut }

func (s state) word() Status { return statusOf(s.status) }

// closing is a report of a run that was closed from outside: nothing is open.
func (s state) closing(report StatusReport) StatusReport {
	report.Status = s.word()
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

// look asks the server how the newest execution of the run stands.
func (r *Run) look(ctx context.Context) (state, error) {
	limited, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	found, err := r.client.DescribeWorkflow(limited, r.id, "")
	if err != nil {
		return state{}, r.fault(ctx, "look at", err)
	}
	if kind := found.WorkflowType.Name; kind != contract.TypeRun {
		return state{}, fmt.Errorf("%s is a workflow of type %q: %w", r.id, kind, ErrNotFound)
	}
	return state{status: found.Status, execution: found.WorkflowExecution.RunID, length: int64(found.HistoryLength)}, nil
}
