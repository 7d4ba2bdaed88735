package workflows_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
)

// due is a scene that continues wherever it can, with more options.
func due(options string, answers ...any) scene {
	return scene{seed: 1, answers: answers, request: `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"},
		{"type":"function","name":"hurried","client_timeout":"1m"},{"type":"platform","name":"desk"}],
		"run":{"continue_after_events":1` + options + `}%s}`}
}

// TestARunThatWouldContinueEndsWhenItIsToldTo: a run that is about to leave its
// execution, and is cancelled or fails in that very step, ends there.
func TestARunThatWouldContinueEndsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	// Whoever is answered by an update delays the step that continues the run.
	cancelInTheLastStep := func(b *bench, execution int) {
		if execution == 2 {
			b.RegisterDelayedCallback(func() {
				b.update(contract.SendMessage, `{"content":"wait"}`, func(_ contract.Receipt, err error) { require.NoError(t, err) })
				b.CancelWorkflow()
			}, time.Minute)
		}
	}
	for name, row := range map[string]struct {
		scene   scene
		prepare func(b *bench, execution int)
		status  contract.Status
	}{
		"cancelled while a client is waited for": {due("", calls("1", "ask", "{}")), cancelInTheLastStep, contract.Cancelled},
		"cancelled while a budget is asked for": {
			due(`,"max_rounds":1,"on_budget":"ask"`, calls("1", "nope", "{}")), cancelInTheLastStep, contract.Cancelled,
		},
		"failed at a client's deadline": {
			due(`,"on_client_timeout":"fail"`, calls("1", "ask", "{}", "2", "hurried", "{}")), func(*bench, int) {}, contract.Failed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, row.scene)
			p.run("", row.prepare)
			require.Equal(t, row.status, p.result.Status)
			require.NotEmpty(t, p.carried)
		})
	}
}

// TestACancelThatMeetsANewExecutionStartsNoInference, nor another round, while
// that execution takes over what is open; and a stop ends the run as a cancel.
func TestACancelThatMeetsANewExecutionStartsNoInference(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(b *bench){
		"cancel":   func(b *bench) { b.CancelWorkflow() },
		"stop now": func(b *bench) { b.SignalWorkflow(contract.StopRun, json.RawMessage(`{"mode":"now"}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, due("", calls("1", "desk", "{}"), say("never")))
			p.run("", func(b *bench, execution int) {
				if execution == 2 {
					b.SetOnChildWorkflowStartedListener(func(*workflow.Info, workflow.Context, converter.EncodedValues) { end(b) })
				}
			})
			require.Equal(t, contract.Cancelled, p.result.Status)
			require.Equal(t, 1, p.carried["between rounds"])
			require.Len(t, p.choices, 1, "one inference")
			require.Empty(t, p.bench.inputs)
			require.Equal(t, 1, p.result.Run.Rounds)
			require.NotContains(t, fmt.Sprint(p.bench.events()[3:]), "round_start")
			p.requireClosed(t)
		})
	}
}
