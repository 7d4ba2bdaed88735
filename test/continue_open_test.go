package test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

// counter is a resource that counts what is done with it.
type counter struct {
	opened, closed, used atomic.Int64
}

type counterSession struct{ *counter }

func (h counterSession) Close(context.Context) error {
	h.closed.Add(1)
	return nil
}

// note is a tool of the counter: it says how often it was used.
func (d *counter) note() worker.Tool {
	resource := &worker.Resource{Name: "counter", Open: func(context.Context, tools.SessionSpec) (worker.Session, error) {
		d.opened.Add(1)
		return counterSession{d}, nil
	}}
	return worker.Tool{
		Name: "note", Effect: tools.EffectIdempotent, ParallelSafe: true, Resource: resource,
		Execute: func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: fmt.Sprint(d.used.Add(1))}, nil
		},
	}
}

const noteTools = `"tools":[{"type":"platform","name":"note"},{"type":"function","name":"ask"}],"run":{"continue_after_events":1}}`

// TestWhatIsOpenGoesOnWithARunThatContinues: one opening serves all executions,
// and is closed once, when the run ends.
func TestWhatIsOpenGoesOnWithARunThatContinues(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(shapeCalls("note"), shapeCalls("note", "ask"), shapeCalls("note"), harness.Say("hi")))
	d := &counter{}
	s.work("responses", worker.WithTools(d.note()))
	run, first := s.startFirst(`{"model":"m","input":"go",` + noteTools)
	answerAction(t, run, "act_2_1")
	result, err := run.Result(within(t))
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.EqualValues(t, 3, d.used.Load())
	require.EqualValues(t, 1, d.opened.Load())
	require.Len(t, result.Run.Release, 1)
	require.Empty(t, result.Run.Release[0].Error)
	require.EqualValues(t, 1, d.closed.Load())
	require.Greater(t, len(s.executions(run.ID(), first)), 2)
}

// TestWhatIsOpenIsClosedWhenAContinuedRunIsTerminated, by the Cleanup that its
// last execution has taken over.
func TestWhatIsOpenIsClosedWhenAContinuedRunIsTerminated(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(shapeCalls("note"), shapeCalls("note", "ask"), harness.Say("hi")))
	d := &counter{}
	s.work("responses", worker.WithTools(d.note()))
	run, _ := s.startFirst(`{"model":"m","input":"go",` + noteTools)
	pendingAction(t, run)
	harness.Eventually(t, patience, func() (bool, string) { return d.used.Load() == 2, fmt.Sprint(d.used.Load()) }, "both calls of the counter")
	require.Zero(t, d.closed.Load())
	require.NoError(t, s.client.TerminateWorkflow(within(t), run.ID(), "", "test"))
	harness.Eventually(t, patience, func() (bool, string) { return d.closed.Load() == 1, fmt.Sprint(d.closed.Load()) }, "the counter is closed")
	require.EqualValues(t, 1, d.opened.Load())
	_, err := run.Result(within(t))
	var closed *starter.ClosedError
	require.ErrorAs(t, err, &closed)
}
