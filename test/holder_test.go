package test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/test/world"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

// boxScript works in the box, asks the client, and works in the box again.
func boxScript() harness.Script {
	return harness.Rounds(
		harness.Call("work", `{"n":1}`),
		harness.Call("ask", `{}`),
		harness.Call("work", `{"n":2}`),
		harness.Say("done"),
	)
}

// startBox runs until the client is asked: the first worker holds the box.
func (s *crashStage) startBox() *starter.Run {
	s.t.Helper()
	run, err := s.starter.Start(within(s.t), boxRequest())
	require.NoError(s.t, err)
	pendingAction(s.t, run)
	require.Len(s.t, s.world.Arrived("open"), 1)
	return run
}

func (s *crashStage) endBox(run *starter.Run) *contract.Result {
	s.t.Helper()
	ctx := within(s.t)
	_, err := run.Answer(ctx, starter.Output("act_2_0", "yes"))
	require.NoError(s.t, err)
	result, err := run.Result(ctx)
	require.NoError(s.t, err)
	require.Equal(s.t, contract.Completed, result.Status)
	for _, trace := range result.Run.Traces {
		require.True(s.t, trace.Success, trace.Error)
	}
	require.Len(s.t, s.world.Arrived("work"), 2, "each call ran once")
	return result
}

func keys(some []world.Effect) []string {
	var all []string
	for _, e := range some {
		all = append(all, e.Key)
	}
	slices.Sort(all)
	return all
}

func TestRunWhoseWorkerWasKilledOpensItsResourceElsewhere(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, boxScript())
	first := s.startWorker()
	run := s.startBox()
	first.Kill9()
	s.startWorker()
	result := s.endBox(run)
	opened, closed := keys(s.world.Arrived("open")), keys(s.world.Arrived("close"))
	require.Len(t, opened, 2)
	require.Equal(t, opened[1:], closed, "the second opening is closed; the first died with its worker")
	require.True(t, strings.HasPrefix(closed[0], run.ID()+"/2/"))
	require.Len(t, result.Run.Release, 2)
	require.NotEmpty(t, result.Run.Release[0].Error)
	require.Empty(t, result.Run.Release[1].Error)
}

func TestWorkerThatStopsClosesWhatItHolds(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, boxScript())
	first := s.startWorker()
	run := s.startBox()
	first.Terminate()
	require.Zero(t, first.Wait(t, patience))
	require.Len(t, s.world.Arrived("close"), 1, "closed before the worker left")
	s.startWorker()
	result := s.endBox(run)
	require.Equal(t, keys(s.world.Arrived("open")), keys(s.world.Arrived("close")), "every opening is closed once")
	require.Equal(t, []contract.Release{{Source: "platform/box", Epoch: 1}, {Source: "platform/box", Epoch: 2}}, result.Run.Release)
}

// TestWorkerThatStopsClosesWhatItHoldsOfARunThatHasContinued: it tells the Cleanup
// that it knows, which has left, and the run, which tells the newest one.
func TestWorkerThatStopsClosesWhatItHoldsOfARunThatHasContinued(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, boxScript())
	first := s.startWorker()
	run, execution := s.startFirst(`{"model":"m","input":"go","tools":[{"type":"platform","name":"work"},{"type":"function","name":"ask"}],
		"run":{"continue_after_events":25}}`)
	pendingAction(t, run)
	require.Len(t, s.world.Arrived("open"), 1)
	first.Terminate()
	require.Zero(t, first.Wait(t, patience))
	require.Len(t, s.world.Arrived("close"), 1, "closed before the worker left")
	s.startWorker()
	require.NoError(t, run.Cancel(within(t))) // it ends in this very execution
	result, err := run.Result(within(t))
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Equal(t, []contract.Release{{Source: "platform/box", Epoch: 1}}, result.Run.Release)
	chain := s.executions(run.ID(), execution)
	require.Len(t, chain, 2, "it went on after its first round, and no more")
}

func TestWorkerThatWasTakenForDeadStillClosesWhatItHolds(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, boxScript())
	first := s.startWorker()
	run := s.startBox()
	require.NoError(t, syscall.Kill(first.PID(), syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(first.PID(), syscall.SIGCONT) })
	s.startWorker()
	// The server goes on giving workflow tasks to the connections of a process
	// that stands still; each of them is lost for 10 s.
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	require.NoError(t, s.client.SignalWorkflow(ctx, run.ID(), "", contract.ToolOutput, map[string]string{"action_id": "act_2_0", "output": "yes"}))
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, s.world.Arrived("open"), 2)
	require.NoError(t, syscall.Kill(first.PID(), syscall.SIGCONT))
	harness.Eventually(t, patience, func() (bool, string) {
		closed := keys(s.world.Arrived("close"))
		return slices.Equal(keys(s.world.Arrived("open")), closed), fmt.Sprint(closed)
	}, "both openings are closed, each once")
}

// TestBusyWorkerIsNotTakenForDead: a call waits for its turn for longer than a
// worker may be silent.
func TestBusyWorkerIsNotTakenForDead(t *testing.T) {
	t.Parallel()
	s := newStage(t, threeThen(harness.Say("done")))
	b := &boxes{}
	config := s.config("responses")
	config.Limits.Activities = 1
	first := make(chan struct{}, 1)
	first <- struct{}{}
	s.workWith(config, worker.WithTools(b.tool(b.resource(), "work", func(ctx context.Context) error {
		select {
		case <-first:
		default:
			return nil
		}
		select { // longer than anybody waits for a sign of life
		case <-time.After(12 * time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})))
	ctx := within(t)
	run, err := s.starter.Start(ctx, boxRequest())
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"open/1", "close/1"}, b.seen(run.ID()))
	require.Len(t, result.Run.Release, 1)
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Succeeded, "c2": tools.Succeeded, "c3": tools.Succeeded}, statuses(result))
}

// TestLostCallIsReconciledBeforeItIsRepeatedOrToldUnknown: the tool knows by the
// key whether it took place.
func TestLostCallIsReconciledBeforeItIsRepeatedOrToldUnknown(t *testing.T) {
	t.Parallel()
	for name, done := range map[string]bool{"it was done": true, "it was not done": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCrashStage(t, crashScript("settle"))
			var p *harness.Process
			var run *starter.Run
			if done {
				p = s.startWorker("HANG_AFTER=1")
				run = s.start("settle")
				harness.Eventually(t, patience, func() (bool, string) { return s.world.Applied() == 1, "" }, "the effect")
			} else {
				run, p = s.startInside("settle")
			}
			p.Kill9()
			s.startWorker()
			harness.Eventually(t, patience, func() (bool, string) { return len(s.world.Arrived("reconcile")) == 1, "" }, "the tool is asked")
			s.world.Release("settle")
			requireUncrashedResult(t, s.finish(run), run)
			require.Equal(t, 1, s.world.Applied())
			require.Len(t, s.world.Arrived("reconcile"), 1)
		})
	}
}
