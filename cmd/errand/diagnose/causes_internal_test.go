package diagnose

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"errand/activities"
)

// applied is a failure that an activity has returned.
func applied(kind, message string) *failurepb.Failure {
	info := &failurepb.ApplicationFailureInfo{Type: kind}
	return &failurepb.Failure{Message: message, FailureInfo: &failurepb.Failure_ApplicationFailureInfo{ApplicationFailureInfo: info}}
}

func silent(kind enumspb.TimeoutType) *failurepb.Failure {
	info := &failurepb.TimeoutFailureInfo{TimeoutType: kind}
	return &failurepb.Failure{Message: "activity timeout", FailureInfo: &failurepb.Failure_TimeoutFailureInfo{TimeoutFailureInfo: info}}
}

func pending(id string, attempt int32, failure *failurepb.Failure) *workflowpb.PendingActivityInfo {
	return &workflowpb.PendingActivityInfo{
		ActivityId: id, ActivityType: &commonpb.ActivityType{Name: "x"}, Attempt: attempt, MaximumAttempts: 10, LastFailure: failure,
	}
}

func texts(all []Cause) []string {
	var lines []string
	for _, one := range all {
		lines = append(lines, one.Text)
	}
	return lines
}

func TestAFailureThatIsTriedAgainIsToldInWordsForPeople(t *testing.T) {
	t.Parallel()
	for want, failure := range map[string]*failurepb.Failure{
		"the model cannot be reached (attempt 2 of 10): 127.0.0.1:1: connection refused; it is tried again":                      applied(activities.TypeModelUnavailable, `ask the model: Post "http://127.0.0.1:1/v1/responses": dial tcp 127.0.0.1:1: connect: connection refused`),
		"the model cannot be reached (attempt 2 of 10): lookup model.test: no such host; it is tried again":                      applied(activities.TypeModelUnavailable, `ask the model: Post "http://model.test/v1/responses": dial tcp: lookup model.test: no such host`),
		"the model cannot be reached (attempt 2 of 10): read tcp 10.0.0.2:80: read: connection reset by peer; it is tried again": applied(activities.TypeModelUnavailable, `ask the model: Post "http://10.0.0.2/v1": read tcp 10.0.0.1:41234->10.0.0.2:80: read: connection reset by peer`),
		"the model cannot be reached (attempt 2 of 10): no answer within 30s: context deadline exceeded; it is tried again":      applied(activities.TypeModelUnavailable, `ask the model: no answer within 30s: Post "http://10.0.0.2/v1": context deadline exceeded`),
		"the model's answer broke off (attempt 2 of 10): unexpected EOF; it is tried again":                                      applied(activities.TypeModelUnavailable, "ask the model: read the answer: unexpected EOF"),
		"the model refuses for now (attempt 2 of 10): 503 (overloaded): all lanes are busy␛[2J; it is tried again":               applied(activities.TypeModelUnavailable, "model answered 503 (overloaded): all lanes\tare\nbusy\x1b[2J"),
		"the worker was lost during round 1 · read_file {} (attempt 2 of 10); it is tried again":                                 silent(enumspb.TIMEOUT_TYPE_HEARTBEAT),
		"the worker was stopped during round 1 · read_file {} (attempt 2 of 10); it is tried again":                              applied(activities.TypeWorkerStopped, "the worker was stopped"),
		"not done yet: round 1 · read_file {} (attempt 2 of 10): activity timeout; it is tried again":                            silent(enumspb.TIMEOUT_TYPE_START_TO_CLOSE),
		"not done yet: round 1 · read_file {} (attempt 2 of 10): model failed (unknown_host): no address (1); it is tried again": applied("", "model failed (unknown_host): no address (1)"),
	} {
		found := &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{pending("1/0/execute", 3, failure)}}
		all := causesOf(found, func(id string) string {
			require.Equal(t, "1/0/execute", id)
			return "round 1 · read_file {}"
		})
		require.Equal(t, []string{want}, texts(all))
	}
}

func TestAnInferenceCountsWhatTheModelFailed(t *testing.T) {
	t.Parallel()
	counted, err := converter.GetDefaultDataConverter().ToPayloads(activities.Heartbeat{Refused: 2, Allowed: 10})
	require.NoError(t, err)
	refused := applied(activities.TypeModelUnavailable, "model answered 503: busy")
	for want, row := range map[string]struct {
		failure   *failurepb.Failure
		heartbeat *commonpb.Payloads
	}{
		"the model refuses for now (attempt 2 of 10): 503: busy; it is tried again":                   {refused, counted},
		"the model refuses for now (attempt 7): 503: busy; it is tried again":                         {refused, nil},
		"the worker was lost during round 1 · infer m (attempt 7); it is tried again":                 {silent(enumspb.TIMEOUT_TYPE_HEARTBEAT), counted},
		"not done yet: round 1 · infer m (attempt 7): the model was not asked: no; it is tried again": {applied(activities.TypeNotAsked, "the model was not asked: no"), counted},
	} {
		p := pending("1/infer", 8, row.failure)
		p.ActivityType.Name, p.MaximumAttempts, p.HeartbeatDetails = "Infer", 110, row.heartbeat
		found := &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{p}}
		require.Equal(t, []string{want}, texts(causesOf(found, func(string) string { return "round 1 · infer m" })))
	}
}

func TestWhatGoesWellIsNoCause(t *testing.T) {
	t.Parallel()
	refused := applied(activities.TypeModelUnavailable, "model answered 503: busy")
	unbounded := pending("2/infer", 2, refused)
	unbounded.MaximumAttempts = 0
	found := &workflowservice.DescribeWorkflowExecutionResponse{
		PendingWorkflowTask: &workflowpb.PendingWorkflowTaskInfo{Attempt: TaskAttempts},
		PendingActivities:   []*workflowpb.PendingActivityInfo{pending("1/0/execute", 1, nil), pending("1/1/execute", 2, nil), unbounded},
	}
	require.Equal(t, []string{"the model refuses for now (attempt 1): 503: busy; it is tried again"}, texts(causesOf(found, nil)))
	found.PendingActivities = nil
	require.Empty(t, causesOf(found, nil))
	found.PendingWorkflowTask.Attempt++
	require.Equal(t, []string{"no worker can go on with the run (attempt 3): their logs say why; it is tried again"}, texts(causesOf(found, nil)))
}

func TestTheSameFailureOfALaterAttemptIsTheSameCause(t *testing.T) {
	t.Parallel()
	reset := func(port string) *failurepb.Failure {
		return applied(activities.TypeModelUnavailable, `ask the model: Post "http://h/v1": read tcp 10.0.0.1:`+port+`->10.0.0.2:80: read: connection reset by peer`)
	}
	at := func(p *workflowpb.PendingActivityInfo) []Cause {
		return causesOf(&workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{p}}, nil)
	}
	first, second := at(pending("1/infer", 2, reset("41234"))), at(pending("1/infer", 3, reset("41235")))
	require.NotEqual(t, first[0].Text, second[0].Text)
	require.Equal(t, first[0].Key, second[0].Key)
	busy := func(status string) []Cause {
		return at(pending("1/infer", 2, applied(activities.TypeModelUnavailable, "model answered "+status+": busy")))
	}
	require.NotEqual(t, busy("429")[0].Key, busy("503")[0].Key)
}

func TestCausesOfARunAreToldWhileItHasWorkers(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	one, other := Cause{"a", "a (attempt 1)"}, Cause{"b", "b"}
	again := Cause{"a", "a (attempt 2)"}
	answers := []struct {
		all []Cause
		err error
	}{{nil, nil}, {[]Cause{one}, nil}, {[]Cause{again, other}, nil}, {nil, errors.New("away")}, {[]Cause{again}, nil}}
	asked := 0
	w := &Watcher{
		Delay: 1, Workers: func(context.Context) (int, error) { return 1, nil },
		Causes: func(context.Context) ([]Cause, error) {
			answer := answers[asked]
			asked++
			return answer.all, answer.err
		},
	}
	var said []string
	w.Watch(ctx, func(line string) {
		if said = append(said, line); len(said) == 4 {
			cancel()
		}
	})
	require.Equal(t, []string{"a (attempt 1)", "b", "Temporal does not answer; still trying. Nothing is lost.", "a (attempt 2)"}, said)
}
