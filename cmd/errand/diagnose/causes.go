package diagnose

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

const (
	// callLimit bounds the wait for the server.
	callLimit = 10 * time.Second
	// quoteLimit bounds what is quoted of a failure, in characters.
	quoteLimit = 300
	// searchLimit is how many of the newest events are searched for the summary
	// of an activity.
	searchLimit = 200
	// TaskAttempts is how often the run's own code may fail before it is
	// told: a worker that went away fails it once.
	TaskAttempts = 3
	// workerStopped is the error type of an activity whose worker was stopped.
	workerStopped = "WorkerStopped"
	// infer is the activity that asks the model.
	infer = "Infer"
)

// Causes are what the server knows to hold a run up: inferences and calls that
// failed, or whose worker was lost, and that are tried again. Their texts are
// lines for people.
func Causes(ctx context.Context, temporal client.Client, namespace, runID string, paint show.Paint) ([]Cause, error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	described, err := temporal.DescribeWorkflow(limited, runID, "")
	if err != nil {
		return nil, err
	}
	found := described.RawResponse
	all := causesOf(found, func(activityID string) string { return Summary(limited, temporal, namespace, found, activityID) })
	for i := range all {
		all[i].Text = "  " + paint.Wait("…") + " " + all[i].Text
	}
	return all, nil
}

// Summary is what the run says of an activity. What cannot be found goes by
// its place in the run.
func Summary(ctx context.Context, temporal client.Client, namespace string, found *workflowservice.DescribeWorkflowExecutionResponse, activityID string) string {
	page, err := temporal.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: namespace, Execution: found.GetWorkflowExecutionInfo().GetExecution(), MaximumPageSize: searchLimit,
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

// StuckError is no reply of a run whose own code fails again and again: its
// worker is there.
type StuckError struct {
	Attempt int32
	Err     error
}

func (e *StuckError) Error() string { return e.Err.Error() }
func (e *StuckError) Unwrap() error { return e.Err }

// NoReply finds out whether a run that did not reply has a worker that cannot go
// on with it: then the error is a *StuckError. Other errors stay as they are.
func NoReply(ctx context.Context, temporal client.Client, runID string, err error) error {
	if !errors.Is(err, starter.ErrNoReply) {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	described, unknown := temporal.DescribeWorkflow(limited, runID, "")
	if unknown != nil { // the first error says more
		return err
	}
	if n := described.RawResponse.GetPendingWorkflowTask().GetAttempt(); n > TaskAttempts {
		return &StuckError{n - 1, err}
	}
	return err
}

// causesOf words what the description of a run says; summary names
// an activity by its id.
func causesOf(found *workflowservice.DescribeWorkflowExecutionResponse, summary func(string) string) []Cause {
	var all []Cause
	if n := found.GetPendingWorkflowTask().GetAttempt(); n > TaskAttempts {
		all = append(all, Cause{"task", fmt.Sprintf("no worker can go on with the run (attempt %d): their logs say why; it is tried again", n-1)})
	}
	for _, p := range found.GetPendingActivities() {
		if p.GetAttempt() < 2 || p.GetLastFailure() == nil {
			continue
		}
		what, why := failureOf(p, summary)
		if why != "" {
			why = ": " + show.Short(why, quoteLimit)
		}
		all = append(all, Cause{
			Key:  p.GetActivityId() + " " + what + why,
			Text: fmt.Sprintf("%s (%s)%s; it is tried again", show.Line(what), attempts(p), why),
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
