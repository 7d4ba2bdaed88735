package starter

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
	"errand/workflows/contract"
)

// TestLive holds the package against a real server.
func TestLive(t *testing.T) {
	t.Parallel()
	l := &live{client: devServer(t)}
	l.work(t, "live")
	t.Run("cases", func(t *testing.T) { // returns when all of them have
		for name, test := range map[string]func(*live, *testing.T){
			"a run is followed, served and read":     (*live).wholeRun,
			"a run that continues as new":            (*live).continued,
			"a failed run has its partial result":    (*live).failed,
			"a cancelled run has its partial result": (*live).cancelled,
			"a terminated run ends everything":       (*live).terminated,
			"a run that closed before it began":      (*live).neverTaken,
			"an id that nobody knows":                (*live).unknown,
			"an id that the client cannot send":      (*live).unsendable,
			"a run waits for its first worker":       (*live).lateWorker,
			"more updates than fit at once":          (*live).manyUpdates,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(l, t)
			})
		}
	})
}

type live struct{ client client.Client }

// devServer starts a server that ends with the test.
func devServer(t *testing.T) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: harness.StartTemporal(t, devserver.Options{}).Address,
		Logger:   log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// work runs a worker on a task queue until the test ends.
func (l *live) work(t *testing.T, queue string) {
	w := worker.New(l.client, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(liveRun, workflow.RegisterOptions{Name: contract.TypeRun})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

func (l *live) start(t *testing.T, queue string, meta map[string]string) *Run {
	t.Helper()
	run, err := New(l.client, TaskQueue(queue)).Start(t.Context(),
		Request{Model: "m", Input: "double some numbers", Metadata: meta})
	require.NoError(t, err)
	return run
}

func double(_ context.Context, call Call) (any, error) {
	var args struct{ N int }
	if err := call.Decode(&args); err != nil {
		return nil, err
	}
	return map[string]any{"n": 2 * args.N, "key": call.Key}, nil
}

// types follows a run to its end.
func types(t *testing.T, run *Run) (all []contract.EventType, last error) {
	t.Helper()
	seq := 0
	for event, err := range run.Follow(t.Context(), 0) {
		if err != nil {
			return all, err
		}
		seq++
		require.Equal(t, seq, event.Seq)
		all = append(all, event.Type)
	}
	return all, nil
}

func (l *live) wholeRun(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "calls"})
	served := make(chan error, 1)
	go func() { served <- run.Serve(t.Context(), Handlers{"double": double}) }()
	all, err := types(t, run)
	require.NoError(t, err)
	require.NoError(t, <-served)
	require.Len(t, all, 1+2*6+1)
	require.Equal(t, contract.EventRunEnd, all[13])

	result, err := run.Result(t.Context())
	require.NoError(t, err)
	require.Len(t, result.Output, 7)
	var items []json.RawMessage
	for one, err := range run.Conversation(t.Context()) {
		require.NoError(t, err)
		items = append(items, one)
	}
	require.Equal(t, result.Output, items)
	require.Contains(t, string(items[1]), run.ID()+"/1/")
	status, err := run.Status(t.Context())
	require.NoError(t, err)
	require.True(t, status.Status.Terminal())

	s := New(l.client, TaskQueue("live"))
	_, err = s.Start(t.Context(), hello, WithRunID(run.ID()), AttachIfRunning())
	require.ErrorIs(t, err, ErrAlreadyStarted)
	_, err = run.Send(t.Context(), Text("too late"))
	require.ErrorIs(t, err, ErrEnded)
	require.ErrorIs(t, run.Cancel(t.Context()), ErrEnded)
	require.Eventually(t, func() bool {
		for summary, err := range s.List(t.Context(), ListQuery{Status: contract.Completed}) {
			if err == nil && summary.ID == run.ID() {
				return summary.Prompt == "double some numbers" && summary.Model == "m" && !summary.Closed.IsZero()
			}
		}
		return false
	}, 20*time.Second, 100*time.Millisecond)
}

func (l *live) continued(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "calls", "continue": "yes"})
	served := make(chan error, 1)
	go func() { served <- run.Serve(t.Context(), Handlers{"double": double}, Concurrency(1)) }()
	all, err := types(t, run)
	require.NoError(t, err)
	require.Len(t, all, 14)
	require.NoError(t, <-served)
	result, err := run.Result(t.Context())
	require.NoError(t, err)
	require.Len(t, result.Output, 7)
}

func (l *live) failed(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "fail"})
	result, err := run.Result(t.Context())
	require.Equal(t, &RunFailedError{contract.ErrModelRejected, "401: bad key"}, err)
	require.Equal(t, contract.Failed, result.Status)
	require.Equal(t, "so far", result.OutputText)
	all, err := types(t, run)
	require.NoError(t, err)
	require.Equal(t, []contract.EventType{contract.EventRunStart, contract.EventRunEnd}, all)
}

func (l *live) cancelled(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "calls"})
	for event, err := range run.Follow(t.Context(), 0) {
		require.NoError(t, err)
		if event.ActionID == "act_1_2" {
			require.NoError(t, run.Cancel(t.Context()))
		}
	}
	result, err := run.Result(t.Context())
	require.ErrorIs(t, err, ErrCancelled)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Equal(t, "so far", result.OutputText)
}

func (l *live) terminated(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "wait"})
	attached, err := New(l.client, TaskQueue("live")).Start(t.Context(), hello, WithRunID(run.ID()), AttachIfRunning())
	require.NoError(t, err)
	_, err = attached.Answer(t.Context(), Output("act_1_0", "x"))
	require.Equal(t, &RefusedError{Reason: "not open"}, err)
	served := make(chan error, 1)
	go func() { served <- run.Serve(t.Context(), nil) }()
	for _, err := range run.Follow(t.Context(), 0) {
		if err != nil {
			require.Equal(t, &ClosedError{Terminated}, err)
			break
		}
		require.NoError(t, l.client.TerminateWorkflow(t.Context(), run.ID(), "", "test"))
	}
	require.Equal(t, &ClosedError{Terminated}, <-served)
	result, err := run.Result(t.Context())
	require.Equal(t, &ClosedError{Terminated}, err)
	require.Nil(t, result)
}

func (l *live) neverTaken(t *testing.T) {
	run := l.start(t, "nobody", nil)
	require.NoError(t, l.client.TerminateWorkflow(t.Context(), run.ID(), "", "test"))
	status, err := run.Status(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.StatusReport{
		RunID: run.ID(), Status: Terminated, Actions: []contract.OpenAction{}, Approvals: []contract.OpenApproval{},
	}, status)
}

func (l *live) unknown(t *testing.T) {
	run := New(l.client).Attach("run_nobody")
	_, err := run.Status(t.Context())
	require.ErrorIs(t, err, ErrNotFound)
	_, err = run.Answer(t.Context(), Output("act_1_0", "x"))
	require.ErrorIs(t, err, ErrNotFound)
	_, err = run.Result(t.Context())
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, run.Cancel(t.Context()), ErrNotFound)
	require.ErrorIs(t, run.Serve(t.Context(), nil), ErrNotFound)
	_, err = types(t, run)
	require.ErrorIs(t, err, ErrNotFound)
}

func (l *live) unsendable(t *testing.T) {
	run := New(l.client).Attach("zażółć")
	_, err := run.Status(t.Context())
	require.ErrorIs(t, err, ErrRunID)
	_, err = run.Answer(t.Context(), Output("act_1_0", "x"))
	require.ErrorIs(t, err, ErrRunID)
	_, err = run.Result(t.Context())
	require.ErrorIs(t, err, ErrRunID)
	require.ErrorIs(t, run.Cancel(t.Context()), ErrRunID)
	require.ErrorIs(t, run.Serve(t.Context(), nil), ErrRunID)
	_, err = types(t, run)
	require.ErrorIs(t, err, ErrRunID)
}

func (l *live) lateWorker(t *testing.T) {
	run := l.start(t, "late", map[string]string{"script": "calls"})
	served := make(chan error, 1)
	go func() { served <- run.Serve(t.Context(), Handlers{"double": double}) }()
	_, err := run.Status(t.Context())
	require.ErrorIs(t, err, ErrNoReply)
	l.work(t, "late")
	all, err := types(t, run)
	require.NoError(t, err)
	require.Len(t, all, 14)
	require.NoError(t, <-served)
}

func (l *live) manyUpdates(t *testing.T) {
	run := l.start(t, "live", map[string]string{"script": "wait"})
	var wait sync.WaitGroup
	for range 25 {
		wait.Go(func() {
			receipt, err := run.Send(t.Context(), Text("hello"))
			if err != nil || receipt.ID != "message" {
				t.Errorf("send: %v %v", receipt, err)
			}
		})
	}
	wait.Wait()
	require.NoError(t, run.Cancel(t.Context()))
	_, err := run.Result(t.Context())
	require.ErrorIs(t, err, ErrCancelled)
}
