package starter

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/workflows/contract"
)

func TestAnswerSettlesACall(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.open("act_1_0", "add")
	receipt, err := f.run().Answer(t.Context(), Output("act_1_0", map[string]int{"sum": 3}))
	require.NoError(t, err)
	require.Equal(t, "act_1_0", receipt.ID)
	require.JSONEq(t, `{"sum":3}`, f.outputOf("act_1_0"))
	require.Equal(t, client.WorkflowUpdateStageCompleted, f.updates[0].WaitForStage)
	require.Equal(t, contract.ToolOutput, f.updates[0].UpdateName)
	require.Empty(t, f.updates[0].RunID, "the run may continue as new")
}

func TestAnswerIsRefusedWithTheRunsReason(t *testing.T) {
	t.Parallel()
	f := newFake()
	_, err := f.run().Answer(t.Context(), Output("act_9_0", "y"))
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Reason, "already settled")
	require.Len(t, f.updates, 1, "a refusal is not tried again")
}

func TestAnswerThatIsTooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	f := newFake()
	_, err := f.run().Answer(t.Context(), Output("act_9_0", strings.Repeat("x", contract.MaxAnswerSize)))
	require.Equal(t, &TooLargeError{"output", contract.MaxAnswerSize + 2, contract.MaxAnswerSize}, err)
	_, err = f.run().Send(t.Context(), Text(strings.Repeat("x", contract.MaxAnswerSize)))
	require.ErrorContains(t, err, "content too large")
	_, err = f.run().Answer(t.Context(), contract.Answer{ToolCallID: "x", Output: json.RawMessage("{")})
	require.ErrorContains(t, err, "not JSON")
	require.Empty(t, f.updates)
}

func TestUpdateIsTriedAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.fail = func(attempt int) error {
			switch attempt {
			case 1:
				return serviceerror.NewUnavailable("restarting")
			case 2: // ten others are on their way
				return client.NewWorkflowUpdateServiceTimeoutOrCanceledError(context.DeadlineExceeded)
			case 3: // between two executions of the run
				return serviceerror.NewNotFound("workflow execution already completed")
			case 4:
				return temporal.NewApplicationError("the workflow completed", completedUnderway)
			}
			return nil
		}
		_, err := f.run().Answer(t.Context(), Output("act_1_0", "3"))
		require.NoError(t, err)
		require.Len(t, f.updates, 5)
		for _, u := range f.updates {
			require.Equal(t, f.updates[0].UpdateID, u.UpdateID)
		}
	})
}

func TestUpdatesOfTheSamePayloadAreDifferentOnes(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.open("act_1_0", "add")
	for range 2 {
		_, err := f.run().Claim(t.Context(), contract.Claim{ActionID: "act_1_0", Owner: "me", Lease: "30s"})
		require.NoError(t, err)
	}
	require.NotEqual(t, f.updates[0].UpdateID, f.updates[1].UpdateID)
}

func TestUpdateGivesUpAfterAWhileWithoutWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.down = true
		before := time.Now()
		_, err := f.run().Send(t.Context(), Text("hello"))
		require.ErrorIs(t, err, ErrNoReply)
		require.Less(t, time.Since(before), 2*time.Minute)
		require.Len(t, f.updates, updateAttempts)

		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err = f.run().Send(ctx, Text("hello"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ErrNoReply)
	})
}

func TestUpdateIsNotTriedAgainWhenThatCannotHelp(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.fail = func(int) error { return serviceerror.NewPermissionDenied("no", "") }
	_, err := f.run().Send(t.Context(), Text("hello"))
	require.True(t, isA[*serviceerror.PermissionDenied](err))
	require.Len(t, f.updates, 1)
}

func TestNothingIsTakenByARunThatHasEndedOrNeverWas(t *testing.T) {
	t.Parallel()
	ended, unknown := newFake(), newFake()
	ended.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	unknown.kind = ""
	for f, want := range map[*fake]error{ended: ErrEnded, unknown: ErrNotFound} {
		run := f.run()
		_, err := run.Answer(t.Context(), Output("act_1_0", "x"))
		require.ErrorIs(t, err, want)
		_, err = run.Approve(t.Context(), Approved("apr_1_0", ""))
		require.ErrorIs(t, err, want)
		_, err = run.Send(t.Context(), Text("hello"))
		require.ErrorIs(t, err, want)
		require.ErrorIs(t, run.Cancel(t.Context()), want)
	}
}

func TestCancelAsksTheServer(t *testing.T) {
	t.Parallel()
	require.NoError(t, newFake().run().Cancel(t.Context()))
}

func TestPayloadsSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"action_id":"c","output":"plain"}`, text(t, Output("c", "plain")))
	require.JSONEq(t, `{"action_id":"c","output":{"n":1}}`, text(t, Output("c", json.RawMessage(`{"n":1}`))))
	require.JSONEq(t, `{"action_id":"c","is_error":true,"output":"{\"error\":\"no\",\"type\":\"ExecutionFailed\"}"}`,
		text(t, Failure("c", "no")))
	require.True(t, Output("c", make(chan int)).IsError)
	require.JSONEq(t, `{"role":"user","content":"hi","deliver":"steer"}`, text(t, Text("hi")))
	require.JSONEq(t, `{"approval_request_id":"a","approve":true,"actor":"eve"}`, text(t, Approved("a", "eve")))
	require.JSONEq(t, `{"approval_request_id":"a","approve":false,"reason":"why"}`, text(t, Denied("a", "why", "")))
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func TestEveryMessageHasAnID(t *testing.T) {
	t.Parallel()
	f := newFake()
	_, err := f.run().Send(t.Context(), Text("hello"))
	require.NoError(t, err)
	_, err = f.run().Send(t.Context(), contract.Message{ID: "m1", Content: []byte(`"again"`)})
	require.NoError(t, err)
	require.Regexp(t, "^msg_", f.updates[0].Args[0].(contract.Message).ID)
	require.Equal(t, "m1", f.updates[1].Args[0].(contract.Message).ID)
}
