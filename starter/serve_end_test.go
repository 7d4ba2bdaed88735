package starter

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"errand/workflows/contract"
)

func TestServeStopsHandlersWhenTheRunEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		causes := make(chan error, 1)
		done := serving(t.Context(), f, Handlers{"slow": blocks(causes)})
		synctest.Wait()
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
		require.ErrorIs(t, <-causes, ErrEnded)
		require.NoError(t, <-done)
		require.Empty(t, f.answers)
	})
}

func TestServeStopsAHandlerWhoseCallIsSettledElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		causes := make(chan error, 1)
		done := serving(t.Context(), f, Handlers{"slow": blocks(causes)})
		synctest.Wait()
		_, err := f.run().Answer(t.Context(), Output("act_1_0", "from a person"))
		require.NoError(t, err)
		require.ErrorIs(t, <-causes, errSettledElsewhere)
		synctest.Wait()
		require.Equal(t, "from a person", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeStopsAHandlerWhoseClaimIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		causes := make(chan error, 2)
		done := serving(t.Context(), f, Handlers{"slow": blocks(causes)}, Lease(30*time.Second))
		synctest.Wait()
		f.do(func() { f.actions[0].Owner = "thief" })
		require.ErrorContains(t, <-causes, "claimed by thief")
		f.pass(time.Minute) // the thief does not answer; the call is taken back
		require.NotEqual(t, "thief", f.actions[0].Owner)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeGivesHandlersTheDeadlineOfTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		f.actions[0].ExpiresAt = time.Now().Add(time.Minute)
		causes := make(chan error, 1)
		done := serving(t.Context(), f, Handlers{"slow": blocks(causes)})
		require.ErrorIs(t, <-causes, context.DeadlineExceeded)
		f.do(func() { f.actions = nil })
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
		require.Empty(t, f.answers)
	})
}

func TestServeWaitsForHandlersWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "stubborn")
		f.open("act_1_1", "obedient")
		ctx, cancel := context.WithCancel(t.Context())
		causes := make(chan error, 1)
		done := serving(ctx, f, Handlers{
			"obedient": blocks(causes),
			"stubborn": func(context.Context, Call) (any, error) {
				<-time.After(5 * time.Second)
				return "finished", nil
			},
		})
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-causes, context.Canceled)
		synctest.Wait()
		require.Empty(t, done, "one handler is still running")
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, "finished", f.outputOf("act_1_0"), "what was done is known")
		require.NotNil(t, f.action("act_1_1"), "what was not is left open")
	})
}

func TestServeWaitsForAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.down = true
		release := make(chan struct{})
		done := serving(t.Context(), f, Handlers{"add": func(context.Context, Call) (any, error) {
			<-release
			return "ok", nil
		}})
		f.pass(10 * time.Minute)
		require.Less(t, f.count(contract.QueryStatus), 200)
		f.do(func() { f.down = false })
		f.pass(time.Minute)
		f.do(func() { f.down = true }) // it goes down while the handler runs
		close(release)
		f.pass(10 * time.Minute)
		require.Empty(t, f.answers)
		f.do(func() { f.down = false })
		f.pass(time.Minute)
		require.Equal(t, "ok", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeEndsWithWhatCannotBeWaitedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.fail = func(int) error { return serviceerror.NewPermissionDenied("not you", "") }
		err := f.run().Serve(t.Context(), Handlers{"add": returns("ok")})
		require.ErrorContains(t, err, "not you")

		unknown := newFake()
		unknown.kind = ""
		require.ErrorIs(t, unknown.run().Serve(t.Context(), nil), ErrNotFound)
	})
}

func TestServeAnswersApprovals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		ask := func(id string) {
			f.do(func() {
				f.asked = append(f.asked, contract.OpenApproval{ApprovalRequestID: id, Tool: "rm"})
				f.emit(contract.Event{Type: contract.EventApprovalAsked, ApprovalID: id})
			})
		}
		ask("apr_1_0")
		failures := 0
		done := serving(t.Context(), f, nil, Owner("me"), OnApproval(
			func(_ context.Context, a contract.OpenApproval) (bool, string, error) {
				switch {
				case a.ApprovalRequestID == "apr_1_1" && failures == 0:
					failures++
					return false, "", errors.New("the person is away")
				case a.ApprovalRequestID == "apr_1_2":
					panic("oh")
				}
				return a.ApprovalRequestID == "apr_1_0", "because", nil
			}))
		synctest.Wait()
		require.True(t, *f.decided["apr_1_0"].Approve)
		require.Equal(t, "me", f.decided["apr_1_0"].Actor)
		ask("apr_1_1")
		ask("apr_1_2")
		synctest.Wait()
		require.Len(t, f.decided, 1)
		f.pass(time.Minute)
		require.False(t, *f.decided["apr_1_1"].Approve)
		require.Equal(t, "because", f.decided["apr_1_1"].Reason)
		require.True(t, slices.ContainsFunc(f.asked, func(a contract.OpenApproval) bool { return a.ApprovalRequestID == "apr_1_2" }))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeTellsTheModelOfAnOutputThatDoesNotFit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "ask")
		f.fail = func(attempt int) error {
			if attempt == 2 { // the first is the claim
				return temporal.NewApplicationError("output.n: must be an integer", contract.RefusedOutput)
			}
			return nil
		}
		done := serving(t.Context(), f, Handlers{"ask": func(context.Context, Call) (any, error) { return "x", nil }})
		synctest.Wait()
		require.JSONEq(t, `{"error":"Error for 'ask': output.n: must be an integer","type":"ExecutionFailed"}`, f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}
