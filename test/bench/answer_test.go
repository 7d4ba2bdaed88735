package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/test/harness"
	"errand/tools/item"
	"errand/workflows/contract"
)

// waits is how many answers of a client each engine takes.
const waits = 30

// waiter is an engine that a client answers.
type waiter struct {
	engine
	id string
	// open is the id of the call that waits, or empty.
	open func() (string, error)
	// update is the name and the payload that answer a call.
	update func(callID, output string) (string, any)
	sent   []time.Time
	// Each in ms from when the update was sent: until its answer was there,
	// until the next inference was scheduled, until it was under way.
	answered, scheduled, begun []float64
}

func BenchmarkClientAnswer(b *testing.B) {
	s := newStage(b)
	ctx, cancel := context.WithTimeout(b.Context(), 2*patience)
	defer cancel()
	j := job{Rounds: waits, Calls: 1, Size: 200, Tool: toolAsk}
	all := []*waiter{s.errandWaiter(ctx), s.bareWaiter(ctx)}
	for _, w := range all {
		require.NoError(b, w.start(ctx, w.id, j))
	}
	for round := range waits {
		s.answer(ctx, b, all[round%2], round+1)
		s.answer(ctx, b, all[1-round%2], round+1)
	}
	for _, w := range all {
		s.scheduled(ctx, b, w)
	}
	printWaits(b, all)
}

func (s *stage) errandWaiter(ctx context.Context) *waiter {
	id := newID(s.errand)
	return &waiter{
		engine: s.errand, id: id,
		open: func() (string, error) {
			var report contract.StatusReport
			if err := s.query(ctx, id, contract.QueryStatus, &report); err != nil || len(report.Actions) == 0 {
				return "", err
			}
			return report.Actions[0].ToolCallID, nil
		},
		update: func(callID, output string) (string, any) {
			text, _ := json.Marshal(output) // a string always can be
			return contract.ToolOutput, contract.Answer{ToolCallID: callID, Output: text}
		},
	}
}

func (s *stage) bareWaiter(ctx context.Context) *waiter {
	id := newID(s.minimal)
	return &waiter{
		engine: engine{name: "bare", start: s.minimal.start}, id: id,
		open: func() (callID string, err error) {
			err = s.query(ctx, id, bareWaiting, &callID)
			return callID, err
		},
		update: func(callID, output string) (string, any) {
			return bareAnswer, Item{Type: item.TypeFunctionCallOutput, CallID: callID, Output: output}
		},
	}
}

func (s *stage) query(ctx context.Context, id, name string, answer any) error {
	value, err := s.client.QueryWorkflow(ctx, id, "", name)
	if err != nil {
		return err
	}
	return value.Get(answer)
}

// answer gives the call of a round its output, and waits until the model has
// been asked again.
func (s *stage) answer(ctx context.Context, b *testing.B, w *waiter, round int) {
	b.Helper()
	callID := fmt.Sprintf("call_%d_0", round)
	harness.Eventually(b, patience, func() (bool, string) {
		open, err := w.open()
		return open == callID, fmt.Sprint(open, err)
	}, w.name+" waits for "+callID)
	name, payload := w.update(callID, content(200))
	sent := time.Now()
	require.NoError(b, s.send(ctx, w.id, name, payload))
	w.answered = append(w.answered, ms(time.Since(sent)))
	var asked []time.Time
	harness.Eventually(b, patience, func() (bool, string) {
		asked = s.script.times(w.id)
		return len(asked) > round, fmt.Sprint(len(asked))
	}, "the next inference")
	w.sent = append(w.sent, sent)
	w.begun = append(w.begun, ms(asked[round].Sub(sent)))
}

// send sends an update and waits for its answer.
func (s *stage) send(ctx context.Context, id, name string, payload any) error {
	handle, err := s.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, Args: []any{payload}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}

// scheduled reads from the history when inferences were scheduled. The server
// has the clock of this machine.
func (s *stage) scheduled(ctx context.Context, b *testing.B, w *waiter) {
	b.Helper()
	events, err := s.finish(ctx, w.id)
	require.NoError(b, err)
	places := inferences(events)
	require.Len(b, places, waits+1)
	for i, place := range places[1:] {
		w.scheduled = append(w.scheduled, ms(events[place].GetEventTime().AsTime().Sub(w.sent[i])))
	}
}

func printWaits(b *testing.B, all []*waiter) {
	b.Helper()
	out := newWriter(fmt.Sprintf("A client's answer, by update: median ms of %d, in turn, from when it was sent", waits))
	_, _ = fmt.Fprintln(out, "engine\tanswered\tnext inference scheduled\tunder way\t")
	for _, w := range all {
		_, _ = fmt.Fprintf(out, "%s\t%.1f\t%.1f\t%.1f\t\n", w.name, median(w.answered), median(w.scheduled), median(w.begun))
		b.ReportMetric(median(w.scheduled), w.name+"-ms/answer")
	}
	e, m := all[0], all[1]
	_, _ = fmt.Fprintf(out, "\t%.2f×\t%.2f×\t%.2f×\t\n", median(e.answered)/median(m.answered),
		median(e.scheduled)/median(m.scheduled), median(e.begun)/median(m.begun))
	_ = out.Flush()
	b.ReportMetric(0, "ns/op")
}
