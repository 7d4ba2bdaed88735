package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

// executions are the histories of a run, oldest first.
func (s *stage) executions(runID, first string) []*historypb.History {
	s.t.Helper()
	var all []*historypb.History
	for execution := first; execution != ""; {
		h := &historypb.History{}
		events := s.client.GetWorkflowHistory(within(s.t), runID, execution, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			require.NoError(s.t, err)
			h.Events = append(h.Events, e)
		}
		all = append(all, h)
		last := h.Events[len(h.Events)-1]
		execution = last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	return all
}

// startFirst starts a run and returns the id of its first execution as well.
func (s *stage) startFirst(request string) (*starter.Run, string) {
	s.t.Helper()
	options := client.StartWorkflowOptions{TaskQueue: s.queue, Memo: map[string]any{"model": "m"}}
	run, err := s.client.ExecuteWorkflow(within(s.t), options, contract.TypeRun, rawJSON(request))
	require.NoError(s.t, err)
	return s.starter.Attach(run.GetID()), run.GetRunID()
}

// followed are the events of a run as somebody saw them who followed it.
func followed(ctx context.Context, run *starter.Run) chan []contract.Event {
	seen := make(chan []contract.Event, 1)
	go func() {
		var all []contract.Event
		for event, err := range run.Follow(ctx, 0) {
			if err != nil {
				break
			}
			all = append(all, event)
		}
		seen <- all
	}()
	return seen
}

// TestARunThatContinuesIsOneRunToItsClients continues at every safe point,
// while it is followed, claimed, answered, approved and written to.
func TestARunThatContinuesIsOneRunToItsClients(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(
		shapeCalls("ask", "weather", "ask"), shapeCalls("weather"), shapeCalls("guarded", "ask"), harness.Say("hi"), harness.Say("bye"),
	))
	s.work("responses", worker.WithTools(fixed("weather", "sunny"), fixed("guarded", "open")),
		worker.WithBeforeToolCall(func(_ context.Context, c worker.HookCall) (worker.Decision, error) {
			if c.Call.Tool == "guarded" {
				return worker.Ask("it is guarded"), nil
			}
			return worker.Allow(), nil
		}))
	ctx := within(t)
	run, first := s.startFirst(`{"model":"m","input":"go",` + shapeTools + `,"run":{"continue_after_events":1,"client_timeout":"1h"}}`)
	seen := followed(ctx, run)

	pendingAction(t, run)
	status, err := run.Status(ctx)
	require.NoError(t, err)
	deadline := status.Actions[0].ExpiresAt
	_, err = run.Claim(ctx, contract.Claim{ActionID: "act_1_0", Owner: "host", Lease: "10m"})
	require.NoError(t, err)
	_, err = run.Send(ctx, contract.Message{Content: json.RawMessage(`"and then?"`), Deliver: contract.DeliverFollowUp})
	require.NoError(t, err)
	_, err = run.Claim(ctx, contract.Claim{ActionID: "act_1_0", Owner: "other", Lease: "10m"})
	require.Error(t, err, "the claim has travelled")
	status, err = run.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, deadline, status.Actions[0].ExpiresAt)
	require.Equal(t, "host", status.Actions[0].Owner)
	answerAction(t, run, "act_1_2")
	answerAction(t, run, "act_1_0")
	harness.Eventually(t, patience, func() (bool, string) {
		status, err = run.Status(ctx)
		return err == nil && len(status.Approvals) == 1, fmt.Sprint(status.Status, err)
	}, "an open approval")
	_, err = run.Approve(ctx, starter.Approved("apr_3_0", "ada"))
	require.NoError(t, err)
	answerAction(t, run, "act_3_1")
	repeated, err := run.Answer(ctx, contract.Answer{ActionID: "act_1_0", Output: json.RawMessage(`"yes act_1_0"`)})
	if err == nil { // unless the run has ended meanwhile
		require.True(t, repeated.Repeated, "answers of earlier executions are known")
	}

	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "bye", result.OutputText)
	require.Equal(t, 5, result.Run.Rounds)
	require.Len(t, result.Run.Traces, 6)
	events := <-seen
	for i, e := range events {
		require.Equal(t, i+1, e.Seq)
	}
	require.Equal(t, contract.EventRunEnd, events[len(events)-1].Type)
	chain := s.executions(run.ID(), first)
	require.Greater(t, len(chain), 6)
	for _, h := range chain {
		require.Contains(t, h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetMemo().GetFields(), "model")
	}
	require.Contains(t, details(t, s.client, run.ID()), "Goes on with: `go`")
	began := chain[0].Events[0].GetEventTime().AsTime()
	harness.Eventually(t, patience, func() (bool, string) {
		for one, err := range s.starter.List(ctx, starter.ListQuery{StartedAfter: began.Add(-time.Second)}) {
			require.NoError(t, err)
			if !one.Closed.IsZero() {
				require.WithinDuration(t, began, one.Started, time.Millisecond, "it is listed with the start of its first execution")
				return true, ""
			}
		}
		return false, ""
	}, "the run in a list")
	t.Logf("%d executions, %d events", len(chain), len(events))
	s.keepChain("continued", chain)
}

func answerAction(t *testing.T, run *starter.Run, id string) {
	t.Helper()
	ctx := within(t)
	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(ctx)
		if err != nil {
			return false, err.Error()
		}
		for _, a := range status.Actions {
			if a.ActionID == id {
				return true, ""
			}
		}
		return false, string(status.Status)
	}, "action "+id)
	_, err := run.Answer(ctx, starter.Output(id, "yes "+id))
	require.NoError(t, err)
}

// TestWorkerKilledAroundAContinuation kills the worker in the middle of a tool,
// and while it waits, of a run that continues at every safe point.
func TestWorkerKilledAroundAContinuation(t *testing.T) {
	t.Parallel()
	s := newCrashStage(t, harness.Rounds(shapeCalls("apply", "ask"), shapeCalls("apply", "ask"), harness.Say("all done")))
	p := s.startWorker()
	s.world.Hold("apply")
	run, first := s.startFirst(`{"model":"m","input":"go","tools":[{"type":"platform","name":"apply"},{"type":"function","name":"ask"}],"run":{"continue_after_events":1}}`)
	ctx := within(t)
	seen := followed(ctx, run)
	for round := 1; round <= 2; round++ {
		s.arrives("apply", 2*round-1)
		p.Kill9()
		p = s.startWorker()
		s.arrives("apply", 2*round)
		s.world.Release("apply")
		harness.Eventually(t, patience, func() (bool, string) {
			n := traceCount(ctx, run)
			return n == 2*round-1, fmt.Sprint(n)
		}, "only the client is waited for")
		s.world.Hold("apply")
		p.Kill9()
		p = s.startWorker()
		answerAction(t, run, contract.ActionID(round, 1))
	}
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "all done", result.OutputText)
	require.Len(t, result.Run.Traces, 4)
	for _, trace := range result.Run.Traces {
		require.Equal(t, tools.Succeeded, trace.Status)
	}
	for i, e := range <-seen {
		require.Equal(t, i+1, e.Seq)
	}
	require.Equal(t, 2, s.world.Applied())
	require.Greater(t, len(s.executions(run.ID(), first)), 2)
}

func (s *crashStage) arrives(tool string, times int) {
	s.t.Helper()
	harness.Eventually(s.t, patience, func() (bool, string) {
		n := len(s.world.Arrived(tool))
		return n >= times, fmt.Sprint(n)
	}, "the tool is running")
}

func traceCount(ctx context.Context, run *starter.Run) int {
	n := 0
	for _, err := range run.Traces(ctx) {
		if err != nil {
			return -1
		}
		n++
	}
	return n
}

// TestNoSignalIsLostWhileARunContinues sends signals from several sides to a
// run that continues whenever one arrives.
func TestNoSignalIsLostWhileARunContinues(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(shapeCalls("ask"), harness.Say("hi")))
	s.work("responses")
	run, first := s.startFirst(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}],"run":{"continue_after_events":1}}`)
	pendingAction(t, run)
	const senders, each = 8, 25
	var group sync.WaitGroup
	failed := make(chan error, senders*each)
	for n := range senders {
		group.Go(func() {
			for i := range each {
				message := json.RawMessage(fmt.Sprintf(`{"content":"message %d of %d"}`, i, n))
				failed <- s.client.SignalWorkflow(t.Context(), run.ID(), "", contract.SendMessage, message)
			}
		})
	}
	group.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	answerAction(t, run, "act_1_0")
	result, err := run.Result(within(t))
	require.NoError(t, err)
	require.Equal(t, "hi", result.OutputText)
	heard := map[string]int{}
	for it, err := range run.Conversation(within(t)) {
		require.NoError(t, err)
		if text := item.Text(it); strings.HasPrefix(text, "message ") {
			heard[text]++
		}
	}
	require.Len(t, heard, senders*each)
	chain := s.executions(run.ID(), first)
	t.Logf("%d signals to %d executions", senders*each, len(chain))
	require.Greater(t, len(chain), 1)
}
