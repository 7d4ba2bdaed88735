package starter

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"errand/workflows/contract"
)

func TestServeInterruptsAHandlerWhoseLeaseRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		causes := make(chan error, 2)
		done := serving(t.Context(), f, Handlers{"slow": blocks(causes)}, Lease(30*time.Second))
		synctest.Wait()
		claimed := time.Now()
		f.do(func() { f.down = true })
		require.ErrorIs(t, <-causes, errLeaseOver)
		require.LessOrEqual(t, time.Since(claimed), 30*time.Second, "another process may take the call from then on")
		f.do(func() { f.down = false })
		f.pass(time.Minute)
		require.NotEmpty(t, f.action("act_1_0").Owner, "it is taken again")
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestWhatAHandlerHasDoneIsDeliveredAlthoughItsLeaseRanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "stubborn")
		done := serving(t.Context(), f, Handlers{"stubborn": func(context.Context, Call) (any, error) {
			<-time.After(3 * time.Minute)
			return "done", nil
		}})
		synctest.Wait()
		f.do(func() { f.down = true })
		f.pass(10 * time.Minute)
		f.do(func() { f.down = false })
		f.pass(time.Minute)
		require.Equal(t, "done", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestAClaimThatIsAnsweredTooLateIsNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		late := false
		f.fail = func(int) error {
			if !late {
				late = true
				<-time.After(2 * time.Second)
			}
			return nil
		}
		var early atomic.Bool
		done := serving(t.Context(), f, Handlers{"add": func(context.Context, Call) (any, error) {
			early.Store(time.Now().After(f.action("act_1_0").LeaseUntil))
			return "ok", nil
		}}, Lease(time.Second))
		f.pass(10 * time.Second)
		require.Equal(t, "ok", f.outputOf("act_1_0"))
		require.False(t, early.Load())
		require.GreaterOrEqual(t, len(f.updates), 3, "two claims and the answer")
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeRefusesACallThatLacksRequiredArguments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for id, args := range map[string]string{
			"act_1_0": `{}`, "act_1_1": `{"from":null,"to":"","n":0}`, "act_1_2": `{"from":"LAX","to":"JFK"}`, "act_1_3": `"LAX"`,
		} {
			f.open(id, "fly")
			f.do(func() { f.action(id).Args = []byte(args) })
		}
		f.open("act_1_4", "patch")
		f.do(func() { f.action("act_1_4").Args, f.action("act_1_4").Input = nil, new(string) })
		f.open("act_1_5", "lookup")
		f.do(func() { f.action("act_1_5").Namespace, f.action("act_1_5").Args = "crm", []byte(`{}`) })
		var called atomic.Int32
		handler := func(context.Context, Call) (any, error) { called.Add(1); return "ok", nil }
		member := map[string]any{"type": "function", "name": "lookup", "parameters": map[string]any{"required": []string{"id"}}}
		done := serving(t.Context(), f, Handlers{"fly": handler, "patch": handler, "crm.lookup": handler},
			Require("fly", "from"), Require("patch", "x"), RequireDeclared(
				Function("fly", "", map[string]any{"required": []string{"from", "to"}}), Function("other", "", nil),
				Tool{Type: "namespace", Name: "crm", Extra: map[string]any{"tools": []any{member}}}))
		f.pass(time.Second)
		for id, want := range map[string]string{
			"act_1_0": "the call of 'fly' lacks required arguments: from, to",
			"act_1_1": "the call of 'fly' lacks required arguments: from, to",
			"act_1_3": "the call of 'fly' lacks required arguments: from, to",
			"act_1_5": "the call of 'lookup' lacks required arguments: id",
		} {
			require.JSONEq(t, `{"error":"`+want+`","type":"InvalidArguments"}`, f.outputOf(id), id)
			require.True(t, f.answers[id].IsError)
		}
		require.Equal(t, "ok", f.outputOf("act_1_2"))
		require.Equal(t, "ok", f.outputOf("act_1_4"), "a custom tool has no arguments")
		require.EqualValues(t, 2, called.Load())
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestAServerUnderTheSameNameTakesItsOwnClaimsOverAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.do(func() {
			f.actions[0].Owner, f.actions[0].LeaseUntil = "me", time.Now().Add(time.Hour)
			f.actions[0].Status = contract.ActionProcessing
		})
		done := serving(t.Context(), f, Handlers{"add": returns("ok")}, Owner("me"))
		synctest.Wait()
		require.Equal(t, "ok", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestAClaimIsRenewedWhileAHandlerGoesOnAfterTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "stubborn")
		ctx, cancel := context.WithCancel(t.Context())
		done := serving(ctx, f, Handlers{"stubborn": func(context.Context, Call) (any, error) {
			wait(5 * time.Minute)
			return "finished", nil
		}}, Owner("me"))
		synctest.Wait()
		cancel()
		f.pass(4 * time.Minute)
		require.Equal(t, "me", f.actions[0].Owner)
		require.True(t, f.actions[0].LeaseUntil.After(time.Now()), "nobody else may take it")
		f.do(func() {}) // what was read counts as read before
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, "finished", f.outputOf("act_1_0"))
	})
}
