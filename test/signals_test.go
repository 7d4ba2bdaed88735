package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

// TestNoSignalIsLostWhereARunContinues answers once, by signal, wherever in its
// history a run comes to the end of an execution: also in the workflow task in
// which the answer arrives.
func TestNoSignalIsLostWhereARunContinues(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(shapeCalls("ask"), shapeCalls("ask"), shapeCalls("ask"), harness.Say("bye")))
	s.work("responses", worker.WithTools(fixed("weather", "sunny"), fixed("guarded", "open")))
	for n := 11; n <= 26; n++ {
		t.Run(fmt.Sprintf("after %d events", n), func(t *testing.T) {
			t.Parallel()
			ctx := within(t)
			run, _ := s.startFirst(fmt.Sprintf(`{"model":"m","input":"go",%s,"run":{"continue_after_events":%d}}`, shapeTools, n))
			for round := 1; round <= 3; round++ {
				id := fmt.Sprintf("act_%d_0", round)
				harness.Eventually(t, patience, func() (bool, string) {
					status, err := run.Status(ctx)
					if err != nil || len(status.Actions) == 0 {
						return false, fmt.Sprint(err)
					}
					return status.Actions[0].ActionID == id, status.Actions[0].ActionID
				}, id)
				require.NoError(t, s.client.SignalWorkflow(ctx, run.ID(), "", contract.ToolOutput, starter.Output(id, "yes")))
			}
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, "bye", result.OutputText)
		})
	}
}

// TestNoMessageIsLostWhereARunContinues sends messages while tools run, in a run
// that continues wherever it can.
func TestNoMessageIsLostWhereARunContinues(t *testing.T) {
	t.Parallel()
	const messages = 100
	// The model is done once it has seen all of them; a run that lost one is
	// stopped by its number of rounds.
	s := newStage(t, func(request harness.Decoded) harness.Answer {
		seen := 0
		for _, it := range request.Items {
			seen += strings.Count(string(it), "message no.")
		}
		if seen >= messages {
			return harness.Say("bye")
		}
		return shapeCalls("weather")
	})
	s.work("responses", worker.WithTools(fixed("weather", "sunny"), fixed("guarded", "open")))
	for _, after := range []int{0, 1, 20} {
		t.Run(fmt.Sprintf("after %d events", after), func(t *testing.T) {
			t.Parallel()
			ctx := within(t)
			run, _ := s.startFirst(fmt.Sprintf(`{"model":"m","input":"go",%s,"run":{"continue_after_events":%d,"max_rounds":400}}`, shapeTools, after))
			for i := range messages {
				content := json.RawMessage(fmt.Sprintf(`"message no. %d."`, i))
				require.NoError(t, s.client.SignalWorkflow(ctx, run.ID(), "", contract.SendMessage, contract.Message{Content: content}))
			}
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, contract.Completed, result.Status)
			next := 0
			for raw, err := range run.Conversation(ctx) {
				require.NoError(t, err)
				head, err := item.Peek(raw)
				require.NoError(t, err)
				if head.Role == "user" && strings.Contains(string(raw), "message no.") {
					require.Contains(t, string(raw), fmt.Sprintf("message no. %d.", next), "in the order in which they were sent")
					next++
				}
			}
			require.Equal(t, messages, next)
		})
	}
}

// TestACancelEndsARunThatIsAboutToContinue cancels a run that waits for its
// client, wherever in its history that is.
func TestACancelEndsARunThatIsAboutToContinue(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(shapeCalls("ask")))
	s.work("responses", worker.WithTools(fixed("weather", "sunny"), fixed("guarded", "open")))
	for n := 10; n <= 16; n++ {
		for name, end := range map[string]func(ctx context.Context, run *starter.Run) error{
			"cancel": func(ctx context.Context, run *starter.Run) error {
				return s.client.CancelWorkflow(ctx, run.ID(), "")
			},
			"stop": func(ctx context.Context, run *starter.Run) error {
				_, err := run.Stop(ctx, contract.Stop{Mode: contract.StopNow, Reason: "enough"})
				return err
			},
			"stop by signal": func(ctx context.Context, run *starter.Run) error {
				return s.client.SignalWorkflow(ctx, run.ID(), "", contract.StopRun, contract.Stop{Mode: contract.StopNow})
			},
		} {
			t.Run(fmt.Sprintf("%s after %d events", name, n), func(t *testing.T) {
				t.Parallel()
				ctx := within(t)
				run, _ := s.startFirst(fmt.Sprintf(`{"model":"m","input":"go",%s,"run":{"continue_after_events":%d}}`, shapeTools, n))
				pendingAction(t, run)
				require.NoError(t, end(ctx, run))
				result, err := run.Result(ctx)
				require.ErrorIs(t, err, starter.ErrCancelled)
				require.Equal(t, contract.Cancelled, result.Status)
			})
		}
	}
}
