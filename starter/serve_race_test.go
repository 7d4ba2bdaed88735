package starter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"errand/workflows/contract"
)

func TestServeGoesOnWhenSomebodyElseWasFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		core, logged := observer.New(zap.InfoLevel)
		run := New(f, Logger(zap.New(core))).Attach("run_1")
		done := make(chan error, 1)
		go func() {
			done <- run.Serve(t.Context(), Handlers{"slow": func(context.Context, Call) (any, error) {
				_, err := f.run().Answer(t.Context(), Output("act_1_0", "first"))
				return "second", err
			}})
		}()
		synctest.Wait()
		require.Equal(t, "first", f.outputOf("act_1_0"))
		require.Len(t, logged.FilterMessage("an outcome was not taken").All(), 1)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeGivesUpOnAnOutcomeWhenItMustEndWithoutAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		ctx, cancel := context.WithCancel(t.Context())
		done := serving(ctx, f, Handlers{"add": func(context.Context, Call) (any, error) {
			f.do(func() { f.down = true })
			return "ok", nil
		}})
		f.pass(time.Minute)
		cancel()
		before := time.Now()
		require.ErrorIs(t, <-done, context.Canceled)
		require.LessOrEqual(t, time.Since(before), deliveryGrace)
	})
}

func TestServeNoticesCallsThatOpenDuringAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.happen(contract.EventRunStart)
		queries := 0
		done := serving(t.Context(), f, Handlers{"add": returns("ok")})
		synctest.Wait()
		f.do(func() { f.down = true })
		f.open("act_1_0", "add")
		f.pass(time.Minute)
		queries = f.count(contract.QueryStatus) + f.count(contract.QueryEvents)
		require.Less(t, queries, 40)
		f.do(func() { f.down = false })
		f.pass(10 * time.Second)
		require.Equal(t, "ok", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeLooksForCallsThatDidNotFitInAReport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.room = 2
		for _, id := range []string{"act_1_0", "act_1_1", "act_1_2", "act_1_3", "act_1_4"} {
			f.open(id, "add")
		}
		done := serving(t.Context(), f, Handlers{"add": returns("ok")})
		f.pass(time.Second)
		require.Len(t, f.answers, 5)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}
