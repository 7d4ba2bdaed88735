package crash

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"

	"errand/starter"
)

func TestResetToEveryWorkflowTask(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	moments := every(ref.tasks, 2, func(n int) moment { return moment{name: fmt.Sprintf("task %d", n)} })
	sweep{title: "ended, then reset to each workflow task"}.play(t, moments, func(tr *trial, m moment) {
		var n int
		_, err := fmt.Sscanf(m.name, "task %d", &n)
		require.NoError(tr.t, err)
		tr.worker()
		tr.start()
		if !tr.wait() {
			return
		}
		require.NoError(tr.t, tr.err)
		history := tr.history(tr.first)
		if tasks := completedTasks(history); n <= len(tasks) {
			tr.reached = true
			tr.goBack(ref, history, tasks[n-1])
		}
	})
}

func TestResetInTheMiddle(t *testing.T) {
	t.Parallel()
	ref := theReference(t)
	sweep{title: "reset at each event, to the task before"}.play(t, every(ref.events, 2, atEvent), func(tr *trial, m moment) {
		tr.worker()
		tr.start()
		if !m.wait(tr) {
			tr.wait()
			tr.checkSurvival(ref)
			return
		}
		history := tr.history(tr.first)
		tasks := completedTasks(history)
		if len(tasks) == 0 { // there is nothing to reset to yet
			if tr.wait() {
				tr.checkSurvival(ref)
			}
			return
		}
		tr.reached = true
		tr.goBack(ref, history, tasks[len(tasks)-1])
	})
}

// completedTasks are the events that a run can be reset to.
func completedTasks(history []*historypb.HistoryEvent) []int64 {
	var all []int64
	for _, e := range history {
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			all = append(all, e.GetEventId())
		}
	}
	return all
}

// goBack resets the run to a workflow task, lets the run end once more, and checks
// that what was done before that task was not done again.
func (tr *trial) goBack(ref *reference, history []*historypb.HistoryEvent, task int64) {
	tr.reset = true
	done := doneBefore(history, task)
	_, err := tr.site.client.ResetWorkflowExecution(tr.ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:                 "default",
		WorkflowExecution:         &commonpb.WorkflowExecution{WorkflowId: tr.run.ID(), RunId: tr.first},
		Reason:                    "crash test",
		WorkflowTaskFinishEventId: task,
		RequestId:                 ulid.Make().String(),
	})
	require.NoError(tr.t, err)
	over := make(chan struct{})
	tr.client.Go(func() { tr.attend(over) })
	result, failure := tr.run.Result(tr.ctx)
	select {
	case <-tr.ended: // whoever waits since the start of the run writes there too
	case <-tr.ctx.Done():
	}
	tr.result, tr.err = result, failure
	close(over)
	tr.client.Wait()
	if tr.ctx.Err() != nil {
		tr.violate(endsInTime, "the run that was reset to event %d has not ended: %s", task, tr.lastEvents())
		return
	}
	// The events since that task are other ones now, and what was refused, such
	// as an answer that came to the old execution, was answered again.
	tr.told.events, tr.told.refused = nil, nil
	tr.checkTranscript(ref, func(d deed) int {
		if done[ref.keys[d]] {
			return 1
		}
		return 2
	})
}

// doneBefore are the keys of the calls that had ended before an event.
func doneBefore(history []*historypb.HistoryEvent, before int64) map[string]bool {
	scheduled, done := map[int64]string{}, map[string]bool{}
	for _, e := range history {
		if e.GetEventId() >= before {
			break
		}
		switch e.GetEventType() { //nolint:exhaustive // two of many
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			scheduled[e.GetEventId()] = e.GetActivityTaskScheduledEventAttributes().GetActivityId()
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			id := scheduled[e.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()]
			if call, is := strings.CutSuffix(id, "/execute"); is {
				done["RUN/"+call] = true
			}
		}
	}
	return done
}

// attend answers what is open, whatever it is: after a reset, answers that
// were given before may have to be given again.
func (tr *trial) attend(over <-chan struct{}) {
	ticker := time.NewTicker(again)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-tr.ctx.Done():
			return
		case <-ticker.C:
		}
		status, err := tr.run.Status(tr.ctx)
		if err != nil {
			continue
		}
		for _, a := range status.Actions {
			_, _ = tr.run.Answer(tr.ctx, starter.Output(a.ActionID, answers[a.Tool])) // the next look tells
		}
	}
}
