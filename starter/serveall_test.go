package starter

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"errand/workflows/contract"
)

// stop ends a ServeAll and checks that it ended as it should.
func stop(t *testing.T, m *fakeMany, cancel context.CancelFunc, done chan error) {
	t.Helper()
	m.pass(0)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestServeAllServesRunsThatAreThereAndNewOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		for i := range 30 {
			m.start(fmt.Sprint("old_", i), "add", 3)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(2 * time.Second)
		for id, f := range m.runs {
			require.Equal(t, 3, f.answered(), id)
		}
		fresh := m.start("new", "add", 2)
		m.pass(1500 * time.Millisecond)
		require.Equal(t, 2, fresh.answered(), "a new run is noticed at the next list")
		fresh.open("act_2_0", "add")
		m.pass(2 * time.Second)
		require.Equal(t, 3, fresh.answered(), "and so is its next round")
		plain := "WorkflowType = 'Run' AND ExecutionStatus = 'Running' AND TaskQueue = 'errand'"
		require.Equal(t, []string{plain + mayWait, plain, plain}, m.queries[:3], "the attribute is not known here")
		stop(t, m, cancel, done)
	})
}

func TestServeAllBoundsWhatRunsAtOnceAndIsFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		big := m.start("big", "slow", 40)
		var now, most atomic.Int32
		for i := range 10 {
			m.start(fmt.Sprint("small_", i), "slow", 1)
		}
		slow := func(context.Context, Call) (any, error) {
			most.Store(max(most.Load(), now.Add(1)))
			wait(time.Second)
			now.Add(-1)
			return "ok", nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"slow": slow}, Concurrency(6), PerRun(3))
		m.pass(8 * time.Second)
		for id, f := range m.runs {
			if f != big {
				require.Equal(t, 1, f.answered(), id)
			}
		}
		require.Less(t, big.answered(), 40)
		m.pass(30 * time.Second)
		require.Equal(t, 40, big.answered())
		require.EqualValues(t, 6, most.Load())
		stop(t, m, cancel, done)
	})
}

func TestServeAllTakesNoMoreOfOneRunThanItMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		m.start("run", "slow", 10)
		var now, most atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"slow": func(context.Context, Call) (any, error) {
			most.Store(max(most.Load(), now.Add(1)))
			wait(time.Second)
			now.Add(-1)
			return "ok", nil
		}}, PerRun(2))
		m.pass(20 * time.Second)
		require.Equal(t, 10, m.runs["run"].answered())
		require.EqualValues(t, 2, most.Load())
		stop(t, m, cancel, done)
	})
}

func TestSeveralServeAllShareTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		for i := range 50 {
			m.start(fmt.Sprint(i), "add", 3)
		}
		var executed atomic.Int32
		handlers := Handlers{"add": func(context.Context, Call) (any, error) {
			executed.Add(1)
			wait(300 * time.Millisecond)
			return "ok", nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		var all []chan error
		for range 4 {
			all = append(all, m.servingAll(ctx, handlers, Concurrency(5)))
		}
		m.pass(30 * time.Second)
		for id, f := range m.runs {
			require.Equal(t, 3, f.answered(), id)
		}
		require.EqualValues(t, 150, executed.Load())
		cancel()
		for _, done := range all {
			require.ErrorIs(t, <-done, context.Canceled)
		}
	})
}

func TestServeAllTakesOverWhenAnothersLeaseEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "add", 1)
		f.do(func() { f.actions[0].Owner, f.actions[0].LeaseUntil = "dead", time.Now().Add(20*time.Second) })
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("mine")})
		m.pass(19 * time.Second)
		require.Empty(t, f.updates)
		m.pass(2 * time.Second)
		require.Equal(t, "mine", f.outputOf("act_1_0"))
		stop(t, m, cancel, done)
	})
}

func TestServeAllStopsTheHandlersOfARunThatEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		ends, settled := m.start("ends", "slow", 1), m.start("settled", "slow", 1)
		causes := make(chan error, 2)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"slow": blocks(causes)})
		m.pass(5 * time.Second)
		ends.close(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
		require.ErrorIs(t, <-causes, ErrEnded)
		_, err := settled.run().Answer(t.Context(), Output("act_1_0", "from a person"))
		require.NoError(t, err)
		require.ErrorIs(t, <-causes, errSettledElsewhere)
		m.pass(time.Minute)
		stop(t, m, cancel, done)
	})
}

func TestServeAllLeavesWhatOthersMayHaveHandlersFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "strange", 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(time.Minute)
		require.Empty(t, f.updates)
		stop(t, m, cancel, done)

		require.Equal(t, &NoHandlerError{"strange"}, <-m.servingAll(t.Context(), nil, OnNoHandler(Fail)))
		ctx, cancel = context.WithCancel(t.Context())
		done = m.servingAll(ctx, nil, OnNoHandler(Refuse))
		m.pass(2 * time.Second)
		require.Contains(t, f.outputOf("act_1_0"), "NoHandler")
		stop(t, m, cancel, done)
	})
}

func TestServeAllGoesOnBesideARunThatItCannotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		m.start("strange", "add", 1)
		m.unreadable["strange"] = true
		gone := m.start("gone", "add", 1)
		gone.kind = "SomethingElse"
		core, logged := observer.New(zap.InfoLevel)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- New(m, Logger(zap.New(core))).ServeAll(ctx, Handlers{"add": returns("ok")})
		}()
		m.pass(time.Hour)
		fine := m.start("fine", "add", 1)
		m.pass(2 * time.Second)
		require.Equal(t, 1, fine.answered())
		require.LessOrEqual(t, m.reports.Load(), int64(30), "it is asked again, but seldom")
		require.NotEmpty(t, logged.FilterMessage("a run cannot be read").All())
		m.do(func() { m.unreadable["strange"] = false })
		m.pass(6 * time.Minute)
		require.Equal(t, 1, m.runs["strange"].answered(), "a newer worker has made it readable")
		stop(t, m, cancel, done)
	})
}

func TestServeAllWaitsOutages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "add", 1)
		m.listErr = serviceerror.NewUnavailable("down")
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(5 * time.Minute)
		require.Less(t, m.lists.Load(), int64(60))
		m.do(func() { m.listErr = nil })
		f.do(func() { f.down = true }) // the server is back, its workers are not
		m.pass(10 * time.Minute)
		require.Zero(t, f.answered())
		f.do(func() { f.down = false })
		m.pass(time.Minute)
		require.Equal(t, 1, f.answered())
		stop(t, m, cancel, done)
	})
}

func TestServeAllEndsWithWhatCannotBeWaitedOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		err := New(m).ServeAll(t.Context(), nil, Matching("bad query"))
		require.ErrorContains(t, err, "bad query")
		require.Contains(t, m.queries[0], "AND (bad query) AND (")
		require.True(t, strings.HasSuffix(m.queries[1], "AND (bad query)"), m.queries[1])
		m.listErr = serviceerror.NewPermissionDenied("not you", "")
		require.ErrorContains(t, New(m).ServeAll(t.Context(), nil), "not you")
		require.ErrorContains(t, New(m).ServeAll(t.Context(), Handlers{"a": nil}), `handler "a"`)
	})
}

func TestServeAllWaitsForHandlersWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "stubborn", 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"stubborn": func(context.Context, Call) (any, error) {
			wait(5 * time.Second)
			return "finished", nil
		}})
		m.pass(2 * time.Second)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, "finished", f.outputOf("act_1_0"), "what was done is known")
	})
}

func TestServeAllAnswersApprovals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "add", 0)
		f.do(func() {
			f.asked = append(f.asked, contract.OpenApproval{ApprovalRequestID: "apr_1_0", Tool: "rm"})
			f.emit(contract.Event{Type: contract.EventApprovalAsked, ApprovalID: "apr_1_0"})
		})
		tries := 0
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, nil, OnApproval(func(context.Context, contract.OpenApproval) (bool, string, error) {
			if tries++; tries == 1 {
				return false, "", errors.New("the person is away")
			}
			return true, "fine", nil
		}))
		m.pass(5 * time.Second)
		require.Empty(t, f.decided)
		m.pass(time.Minute)
		require.True(t, *f.decided["apr_1_0"].Approve)
		stop(t, m, cancel, done)
	})
}

func TestServeAllForgetsRunsThatHaveEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "add", 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(5 * time.Second)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		m.pass(time.Minute)
		before := m.looks.Load()
		m.pass(time.Hour)
		require.Equal(t, before, m.looks.Load())
		again := m.start("run", "add", 1) // somebody uses the id again
		m.pass(3 * time.Second)
		require.Equal(t, 1, again.answered())
		stop(t, m, cancel, done)
	})
}

func TestServeAllServesARunWhoseIDWasUsedAtOnceAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		first := m.start("run", "add", 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(5 * time.Second)
		require.Equal(t, 1, first.answered())
		first.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		again := m.start("run", "add", 1)
		m.pass(10 * time.Second)
		require.Equal(t, 1, again.answered(), "under the same action id")
		stop(t, m, cancel, done)
	})
}

func TestServeAllServesWhatAResetHasOpenedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		f := m.start("run", "add", 1)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(1100 * time.Millisecond)
		require.Equal(t, 1, f.answered())
		f.do(func() { delete(f.answers, "act_1_0"); f.history = append(f.history, nil) })
		f.open("act_1_0", "add")
		m.pass(time.Minute)
		require.Equal(t, 1, f.answered())
		stop(t, m, cancel, done)
	})
}

func TestServeAllLooksOnlyAtRunsThatWaitIfTheySay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		m.indexed = true
		says, silent := m.start("says", "add", 0), m.start("silent", "add", 1)
		m.pending["says"] = 0
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(5 * time.Second)
		require.Equal(t, 1, silent.answered())
		require.Zero(t, says.looks)
		says.open("act_1_0", "add")
		m.do(func() { m.pending["says"] = 1 })
		m.pass(1500 * time.Millisecond)
		require.Equal(t, 1, says.answered())
		m.do(func() { m.pending["says"] = 0 })
		m.pass(time.Minute)
		looks := says.looks
		m.pass(time.Hour)
		require.Equal(t, looks, says.looks, "it waits for nobody")
		says.open("act_2_0", "add")
		m.do(func() { m.pending["says"] = 1 })
		m.pass(1500 * time.Millisecond)
		require.Equal(t, 2, says.answered())
		stop(t, m, cancel, done)
	})
}

func TestWaitingRunsAreCheap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newFakeMany()
		const runs = 300
		for i := range runs {
			m.start(fmt.Sprint(i), "people do this", 1)
		}
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": returns("ok")})
		m.pass(4 * time.Minute)
		require.Less(t, runtime.NumGoroutine()-before, runs/2, "far fewer than one a run; other tests run too")
		looks, reports := m.looks.Load(), m.reports.Load()
		m.pass(4 * time.Minute)
		require.LessOrEqual(t, m.looks.Load()-looks, int64(4*60*runs/30+runs), "a look each in half a minute")
		require.Equal(t, reports, m.reports.Load(), "no question to a worker while nothing happens")
		stop(t, m, cancel, done)
	})
}
