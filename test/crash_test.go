package test

import (
	"fmt"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/test/world"
	"errand/tools"
	"errand/workflows/contract"
)

// crashStage is a run on a worker process that can be killed.
type crashStage struct {
	*stage
	world  *world.World
	binary string
	// waitsIn is the tool that a test wants to find running.
	waitsIn string
}

// workerReady is what a worker logs once it takes runs.
var workerReady = regexp.MustCompile(`(?i)worker (has )?started|taking runs|started worker`)

func newCrashStage(t *testing.T, script harness.Script) *crashStage {
	t.Helper()
	binary := harness.Build(t, "./test/toolworker")
	return &crashStage{stage: newStage(t, script), world: world.Start(t), binary: binary}
}

func (s *crashStage) startWorker(env ...string) *harness.Process {
	s.t.Helper()
	env = append(env, "WORLD_URL="+s.world.URL)
	p := harness.StartProcess(s.t, harness.Command{Path: s.binary, Env: s.workerEnv(env...)})
	p.WaitForMatch(s.t, workerReady, patience)
	return p
}

func crashScript(tool string) harness.Script {
	return harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "c1", Name: tool, Arguments: `{"n":1}`},
			harness.ToolCall{ID: "c2", Name: "ask", Arguments: `{}`},
		),
		harness.Say("all done"),
	)
}

func (s *crashStage) start(tool string) *starter.Run {
	s.t.Helper()
	return s.startWith(starter.RunOptions{}, tool)
}

func (s *crashStage) startWith(options starter.RunOptions, tool string) *starter.Run {
	s.t.Helper()
	run, err := s.starter.Start(within(s.t), starter.Request{
		Model: "m", Input: "go", Run: options,
		Tools: []starter.Tool{starter.Platform(tool), starter.Function("ask", "", nil)},
	})
	require.NoError(s.t, err)
	return run
}

// startInside starts a run and waits until its worker is in the middle of a
// tool, which the world holds.
func (s *crashStage) startInside(tool string, env ...string) (*starter.Run, *harness.Process) {
	s.t.Helper()
	s.world.Hold(tool)
	p := s.startWorker(env...)
	run := s.start(tool)
	harness.Eventually(s.t, patience, func() (bool, string) {
		n := len(s.world.Arrived(tool))
		return n == 1, fmt.Sprint(n)
	}, "the tool is running")
	return run, p
}

// finish answers the client call and returns the run's end.
func (s *crashStage) finish(run *starter.Run) *contract.Result {
	s.t.Helper()
	ctx := within(s.t)
	pendingAction(s.t, run)
	_, err := run.Answer(ctx, starter.Output(contract.ActionID(1, 1), "yes"))
	require.NoError(s.t, err)
	result, err := run.Result(ctx)
	require.NoError(s.t, err)
	return result
}

// requireUncrashedResult checks that the run ended as if nothing had happened.
func requireUncrashedResult(t *testing.T, result *contract.Result, run *starter.Run) {
	t.Helper()
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, "all done", result.OutputText)
	require.Equal(t, 2, result.Run.Rounds)
	require.Len(t, result.Run.Traces, 2)
	var items []string
	for it, err := range run.Conversation(within(t)) {
		require.NoError(t, err)
		items = append(items, string(it))
	}
	require.Len(t, items, 6)
	require.Contains(t, items[3], `done for {\"n\":1}`)
	require.Contains(t, items[4], "yes")
}

func TestWorkerKilledDuringInference(t *testing.T) {
	t.Parallel()
	var released atomic.Bool
	s := newCrashStage(t, func(d harness.Decoded) harness.Answer {
		if !released.Load() {
			return harness.Hang()
		}
		return crashScript("apply")(d)
	})
	p := s.startWorker()
	// The one attempt is the model's: a lost worker does not use it up.
	run := s.startWith(starter.RunOptions{ModelAttempts: 1}, "apply")
	harness.Eventually(t, patience, func() (bool, string) { return s.model.Hanging() == 1, fmt.Sprint(s.model.Hanging()) }, "an inference in flight")
	p.Kill9()
	released.Store(true)
	s.model.Release()
	s.startWorker()
	requireUncrashedResult(t, s.finish(run), run)
	require.Len(t, s.world.Arrived("apply"), 1)
}

func TestWorkerKilledDuringAnIdempotentTool(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, crashScript("apply"))
	run, p := s.startInside("apply")
	p.Kill9()
	s.world.Release("apply")
	s.startWorker()
	requireUncrashedResult(t, s.finish(run), run)
	arrived := s.world.Arrived("apply")
	require.Len(t, arrived, 2, "the lost call was repeated")
	require.Equal(t, arrived[0].Key, arrived[1].Key, "with the same key")
	require.Equal(t, run.ID()+"/1/0", arrived[0].Key)
	require.Equal(t, 1, s.world.Applied())
}

func TestWorkerKilledWhileAClientCallIsOpen(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, crashScript("apply"))
	p := s.startWorker()
	run := s.start("apply")
	pendingAction(t, run)
	ended := func(e contract.Event) bool { return e.Type == contract.EventToolEnd && e.ToolCallID == "c1" }
	harness.Eventually(t, patience, func() (bool, string) {
		page, err := run.Events(t.Context(), 0)
		return err == nil && slices.ContainsFunc(page.Events, ended), fmt.Sprint(err)
	}, "the worker's own call has ended")
	p.Kill9()
	s.startWorker()
	requireUncrashedResult(t, s.finish(run), run)
	require.Len(t, s.world.Arrived("apply"), 1)
}

func TestLostOnceCallIsNotRepeatedAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{
		"the server answers at once": "SLOW_HEARTBEATS=",
		// Then beats are on their way while the begin of the call is marked.
		"the server's answers take time": "SLOW_HEARTBEATS=1500ms",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loseOnceCall(t, env)
		})
	}
}

func loseOnceCall(t *testing.T, env string) {
	t.Helper()
	s := newCrashStage(t, crashScript("pay"))
	run, p := s.startInside("pay", env)
	p.Kill9()
	s.startWorker()
	result := s.finish(run)
	require.Len(t, s.world.Arrived("pay"), 1, "what must run once is not repeated")
	status := map[string]tools.OutcomeStatus{}
	for _, trace := range result.Run.Traces {
		status[trace.ToolCallID] = trace.Status
	}
	require.Equal(t, map[string]tools.OutcomeStatus{"c1": tools.Unknown, "c2": tools.Succeeded}, status)
}

func TestGracefulStopFinishesTheCallInFlight(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, crashScript("pay"))
	run, p := s.startInside("pay")
	p.Terminate()
	s.world.Release("pay")
	require.Zero(t, p.Wait(t, patience))
	s.startWorker()
	requireUncrashedResult(t, s.finish(run), run)
	require.Len(t, s.world.Arrived("pay"), 1)
}
