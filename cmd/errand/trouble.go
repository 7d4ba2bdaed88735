package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

const (
	// troubleText bounds what is quoted of a failure.
	troubleText = 300
	// troubleHistory is how many of the newest events are searched for the
	// summary of an activity.
	troubleHistory = 200
	// taskAttempts is how often the run's own code may fail before it is
	// told: a worker that went away fails it once.
	taskAttempts = 3
	// workerStopped is the error type of an activity whose worker was stopped.
	workerStopped = "WorkerStopped"
	// infer is the activity that asks the model.
	infer = "Infer"
)

// troubles are what the server knows to hold a run up: inferences and calls
// that failed, or whose worker was lost, and that are tried again.
func (c *connection) troubles(ctx context.Context, runID string, paint show.Paint) ([]trouble, error) {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	described, err := c.client.DescribeWorkflow(limited, runID, "")
	if err != nil {
		return nil, err
	}
	found := described.RawResponse
	all := troublesOf(found, func(activityID string) string { return c.summary(limited, found, activityID) })
	for i := range all {
		all[i].text = "  " + paint.Wait("…") + " " + all[i].text
	}
	return all, nil
}

// summary is what the run says of an activity. What cannot be found goes by
// its place in the run.
func (c *connection) summary(ctx context.Context, found *workflowservice.DescribeWorkflowExecutionResponse, activityID string) string {
	page, err := c.client.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: c.namespace, Execution: found.GetWorkflowExecutionInfo().GetExecution(), MaximumPageSize: troubleHistory,
	})
	text := ""
	if err == nil {
		for _, event := range page.GetHistory().GetEvents() {
			if event.GetActivityTaskScheduledEventAttributes().GetActivityId() == activityID {
				err = converter.GetDefaultDataConverter().FromPayload(event.GetUserMetadata().GetSummary(), &text)
				break
			}
		}
	}
	if err != nil || text == "" {
		return "activity " + activityID
	}
	return text
}

// stuckError is no reply of a run whose own code fails again and again: its
// worker is there.
type stuckError struct {
	attempt int32
	err     error
}

func (e *stuckError) Error() string { return e.err.Error() }
func (e *stuckError) Unwrap() error { return e.err }

// noReply finds out whether a run that did not reply has a worker that cannot go
// on with it.
func (c *connection) noReply(ctx context.Context, runID string, err error) error {
	if !errors.Is(err, starter.ErrNoReply) {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	described, unknown := c.client.DescribeWorkflow(limited, runID, "")
	if unknown != nil { // the first error says more
		return err
	}
	if n := described.RawResponse.GetPendingWorkflowTask().GetAttempt(); n > taskAttempts {
		return about(runID, &stuckError{n - 1, err})
	}
	return err
}

// troublesOf words what a description of a run has of troubles; summary names
// an activity by its id.
func troublesOf(found *workflowservice.DescribeWorkflowExecutionResponse, summary func(string) string) []trouble {
	var all []trouble
	if n := found.GetPendingWorkflowTask().GetAttempt(); n > taskAttempts {
		all = append(all, trouble{"task", fmt.Sprintf("no worker can go on with the run (attempt %d): their logs say why; it is tried again", n-1)})
	}
	for _, p := range found.GetPendingActivities() {
		if p.GetAttempt() < 2 || p.GetLastFailure() == nil {
			continue
		}
		what, why := failureOf(p, summary)
		if why != "" {
			why = ": " + show.Short(why, troubleText)
		}
		all = append(all, trouble{
			key:  p.GetActivityId() + " " + what + why,
			text: fmt.Sprintf("%s (%s)%s; it is tried again", show.Line(what), attempts(p), why),
		})
	}
	return all
}

// attempts names the attempt that failed. An inference counts those that the
// model has failed itself; Temporal's count and bound have the attempts in them
// that were lost with a worker.
func attempts(p *workflowpb.PendingActivityInfo) string {
	text := fmt.Sprintf("attempt %d", p.GetAttempt()-1)
	if p.GetActivityType().GetName() == infer {
		var count struct{ Refused, Allowed int }
		err := converter.GetDefaultDataConverter().FromPayloads(p.GetHeartbeatDetails(), &count)
		if err == nil && count.Allowed > 0 && p.GetLastFailure().GetApplicationFailureInfo().GetType() == contract.ErrModelUnavailable {
			return fmt.Sprintf("attempt %d of %d", count.Refused, count.Allowed)
		}
		return text
	}
	if most := p.GetMaximumAttempts(); most > 0 {
		text += fmt.Sprintf(" of %d", most)
	}
	return text
}

// failureOf says what failed in the last attempt, and why.
func failureOf(p *workflowpb.PendingActivityInfo, summary func(string) string) (what, why string) {
	failure := p.GetLastFailure()
	message := failure.GetMessage()
	switch {
	case failure.GetTimeoutFailureInfo().GetTimeoutType() == enumspb.TIMEOUT_TYPE_HEARTBEAT:
		return "the worker was lost during " + summary(p.GetActivityId()), ""
	case failure.GetApplicationFailureInfo().GetType() == workerStopped:
		return "the worker was stopped during " + summary(p.GetActivityId()), ""
	}
	if why, refused := strings.CutPrefix(message, "model answered "); refused {
		return "the model refuses for now", why
	}
	if why, asked := strings.CutPrefix(message, "ask the model: "); asked {
		if _, broken, found := strings.Cut(why, "read the answer: "); found {
			return "the model's answer broke off", network(broken)
		}
		return "the model cannot be reached", network(why)
	}
	return "not done yet: " + summary(p.GetActivityId()), message
}

// nearEnd is our own end of a connection in an error of the network: another
// port each time.
var nearEnd = regexp.MustCompile(`\S+->`)

// network leaves of an error of the network what a person needs: where, and
// what is wrong there.
func network(why string) string {
	if before, rest, posted := strings.Cut(why, `Post "`); posted {
		if _, after, found := strings.Cut(rest, `": `); found {
			why = before + after
		}
	}
	why = strings.NewReplacer("dial tcp: ", "", "dial tcp ", "", "connect: ", "").Replace(why)
	return nearEnd.ReplaceAllString(why, "")
}
