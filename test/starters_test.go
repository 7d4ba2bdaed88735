package test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/test/world"
	"errand/workflows/contract"
)

// envStarterRuns is how many runs TestStartersShareManyRuns has.
const envStarterRuns = "ERRAND_STARTER_RUNS"

const (
	callsOfARun  = 3
	starterLease = 3 * time.Second
	// manyLease is so long that no busy machine lets one run out in a call.
	manyLease     = 10 * time.Second
	starterWindow = 32 // runs that are started at the same time
)

// startClient starts a process that serves all runs of the stage.
func (s *crashStage) startClient(owner, worldURL string, lease time.Duration) *harness.Process {
	s.t.Helper()
	path := harness.Build(s.t, "./test/toolclient")
	p := harness.StartProcess(s.t, harness.Command{Path: path, Env: []string{
		"TEMPORAL_ADDRESS=" + s.server, "ERRAND_TASK_QUEUE=" + s.queue,
		"WORLD_URL=" + worldURL, "OWNER=" + owner, "LEASE=" + lease.String(),
	}})
	p.WaitFor(s.t, "serving", patience)
	return p
}

func askThreeTimes() harness.Script {
	var calls []harness.ToolCall
	for i := range callsOfARun {
		calls = append(calls, harness.ToolCall{ID: fmt.Sprint("c", i), Name: "ask", Arguments: fmt.Sprintf(`{"n":%d}`, i)})
	}
	return harness.Rounds(harness.Calls(calls...), harness.Say("all done"))
}

// TestStartersShareManyRuns has four processes serve many runs, and kills two of
// them at random moments.
func TestStartersShareManyRuns(t *testing.T) { //nolint:paralleltest // it needs the machine
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	runs := 100
	if text := os.Getenv(envStarterRuns); text != "" {
		var err error
		runs, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	t.Logf("%d runs, seed %d", runs, seed)
	s := newCrashStage(t, askThreeTimes())
	shifts := world.StartShifts(t, func(n int) time.Duration { return time.Duration(n%50+1) * 5 * time.Millisecond })
	s.startWorker()
	var clients []*harness.Process
	for i := range 4 {
		clients = append(clients, s.startClient(fmt.Sprint("client-", i), shifts.URL, manyLease))
	}
	began := time.Now()
	killed := make(chan struct{})
	deadlines := []int{random.IntN(runs*callsOfARun*2/5) + 1, random.IntN(runs*callsOfARun*4/5) + 1}
	slices.Sort(deadlines)
	victims := random.Perm(4)[:2]
	go func() {
		defer close(killed)
		for i, victim := range victims {
			owner := fmt.Sprint("client-", victim)
			sometime := func() { <-time.After(time.Duration(random.IntN(20)+1) * time.Millisecond) }
			for shifts.Begun() < deadlines[i] && t.Context().Err() == nil {
				sometime()
			}
			if i == 1 { // this one dies in the middle of a call, whatever happens
				shifts.Hold(owner)
				for shifts.Stuck(owner) == 0 && t.Context().Err() == nil {
					sometime()
				}
			}
			clients[victim].Kill9()
			shifts.Died(owner)
		}
	}()
	ids := s.startMany(runs)
	s.awaitCompleted(runs)
	took := time.Since(began)
	<-killed
	require.Empty(t, shifts.Clashes())
	all := shifts.All()
	require.Len(t, all, runs*callsOfARun, "every call was executed")
	repeated := 0
	for _, some := range all {
		repeated += len(some) - 1
	}
	require.Positive(t, repeated, "what the second one was at was taken over")
	s.requireOriginOrders(ids)
	t.Logf("%d runs of %d calls in %s; clients %v were killed after %v executions; %d calls were executed again",
		runs, callsOfARun, took.Round(time.Millisecond), victims, deadlines, repeated)
}

// startMany starts runs and gives their ids.
func (s *stage) startMany(runs int) []string {
	s.t.Helper()
	ids := make([]string, runs)
	inWindow(runs, func(i int) {
		ctx, cancel := context.WithTimeout(s.t.Context(), patience)
		defer cancel()
		run, err := s.starter.Start(ctx, starter.Request{
			Model: "m", Input: fmt.Sprint("run ", i), Tools: []starter.Tool{starter.Function("ask", "", nil)},
		})
		if err != nil {
			s.t.Errorf("start: %v", err)
			return
		}
		ids[i] = run.ID()
	})
	if s.t.Failed() {
		s.t.FailNow()
	}
	return ids
}

// awaitCompleted waits until so many runs of the stage have completed.
func (s *stage) awaitCompleted(runs int) {
	s.t.Helper()
	query := fmt.Sprintf("TaskQueue = '%s' AND ExecutionStatus = 'Completed'", s.queue)
	limit := patience + time.Duration(runs)*300*time.Millisecond
	harness.Eventually(s.t, limit, func() (bool, string) {
		counted, err := s.client.CountWorkflow(s.t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: query})
		if err != nil {
			return false, err.Error()
		}
		<-time.After(200 * time.Millisecond) // counting is not free
		return counted.GetCount() == int64(runs), fmt.Sprint(counted.GetCount())
	}, "all runs complete")
}

// requireOriginOrders checks the end of runs: the answer to each call, in the
// order in which the model asked.
func (s *stage) requireOriginOrders(ids []string) {
	s.t.Helper()
	results := make([]*contract.Result, len(ids))
	inWindow(len(ids), func(i int) {
		var err error
		if results[i], err = s.starter.Attach(ids[i]).Result(within(s.t)); err != nil {
			s.t.Errorf("run %s: %v", ids[i], err)
		}
	})
	require.False(s.t, s.t.Failed())
	for _, result := range results {
		require.Equal(s.t, contract.Completed, result.Status)
		require.Equal(s.t, "all done", result.OutputText)
		var got, want []string
		for _, it := range result.Output {
			var output struct {
				Type   string `json:"type"`
				CallID string `json:"call_id"`
				Output string `json:"output"`
			}
			require.NoError(s.t, json.Unmarshal(it, &output))
			if strings.HasSuffix(output.Type, "_output") {
				got = append(got, output.CallID+" "+output.Output)
			}
		}
		for i := range callsOfARun {
			want = append(want, fmt.Sprintf("c%d answer to %s/1/%d", i, result.ID, i))
		}
		require.Equal(s.t, want, got)
	}
}

// inWindow does n things, some at the same time.
func inWindow(n int, do func(i int)) {
	var wait sync.WaitGroup
	window := make(chan struct{}, starterWindow)
	for i := range n {
		window <- struct{}{}
		wait.Go(func() {
			defer func() { <-window }()
			do(i)
		})
	}
	wait.Wait()
}

// TestStarterKilledBetweenExecutingAndAnswering: the call is executed again by
// whoever comes next, with the same key.
func TestStarterKilledBetweenExecutingAndAnswering(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, harness.Rounds(harness.Calls(harness.ToolCall{ID: "c0", Name: "ask", Arguments: `{}`}), harness.Say("all done")))
	s.world.Hold("end")
	s.startWorker()
	first := s.startClient("first", s.world.URL, starterLease)
	id := s.startMany(1)[0]
	harness.Eventually(t, patience, func() (bool, string) {
		n := len(s.world.Arrived("end"))
		return n == 1, fmt.Sprint(n)
	}, "the call has had its effect, and is not answered")
	first.Kill9()
	s.world.Release("end")
	s.startClient("second", s.world.URL, starterLease)
	result, err := s.starter.Attach(id).Result(within(t))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	begun := s.world.Arrived("begin")
	require.Len(t, begun, 2, "at least once")
	require.Equal(t, begun[0].Key, begun[1].Key)
	require.Equal(t, id+"/1/0", begun[0].Key)
	require.Equal(t, 1, s.world.Applied(), "a repeat does no harm where keys are looked at")
}

// TestStarterOfAllRunsOutlivesARestartOfTheServer: in the middle of a call, and
// with another round to come.
func TestStarterOfAllRunsOutlivesARestartOfTheServer(t *testing.T) {
	t.Parallel()
	options := devserver.Options{DBFile: filepath.Join(t.TempDir(), "temporal.db"), UIPort: devserver.NoUI}
	server := harness.StartTemporal(t, options)
	ask := harness.Calls(harness.ToolCall{ID: "c0", Name: "ask", Arguments: `{}`})
	s := &crashStage{
		stage: newStageAt(t, server.Address, harness.Rounds(ask, ask, harness.Say("all done"))),
		world: world.Start(t), binary: harness.Build(t, "./test/toolworker"),
	}
	s.world.Hold("end")
	s.startWorker()
	s.startClient("client", s.world.URL, starterLease)
	id := s.startMany(1)[0]
	harness.Eventually(t, patience, func() (bool, string) {
		n := len(s.world.Arrived("end"))
		return n == 1, fmt.Sprint(n)
	}, "the starter is in the middle of a call")
	server.Kill()
	options.Address = server.Address
	harness.StartTemporal(t, options)
	s.world.Release("end")
	result, err := s.starter.Attach(id).Result(within(t))
	require.NoError(t, err)
	require.Equal(t, "all done", result.OutputText)
	require.Equal(t, 3, result.Run.Rounds)
	keys := map[string]bool{}
	for _, one := range s.world.Arrived("begin") {
		keys[one.Key] = true
	}
	require.Equal(t, map[string]bool{id + "/1/0": true, id + "/2/0": true}, keys)
}
