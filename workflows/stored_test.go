package workflows_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows"
	"errand/workflows/contract"
)

const mib = 1 << 20

// stored is an answer of a worker with external storage.
func stored(answer activities.InferResult) activities.InferResult {
	answer.MaxOutput = 8 * mib
	return answer
}

// limits are what the calls of a run were told that they may return.
func limits(b *bench) *[]int {
	all := &[]int{}
	b.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, args converter.EncodedValues) {
		var in activities.ExecuteInput
		if info.ActivityType.Name == "Execute" && args.Get(&in) == nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			*all = append(*all, in.MaxOutput)
		}
	})
	return all
}

// allOutputs are the outputs of the calls on every page of the conversation.
func allOutputs(b *bench) []string {
	var all []string
	for from, done := 0, false; !done; {
		var page contract.ItemsPage
		b.query(contract.QueryConversation, &page, contract.PageQuery{From: from})
		for _, it := range page.Items {
			var o struct{ Type, Output string }
			require.NoError(b.t, json.Unmarshal(it, &o))
			if o.Type == item.TypeFunctionCallOutput {
				all = append(all, o.Output)
			}
		}
		from, done = page.Next, page.Done
	}
	return all
}

func TestCallsMayReturnWhatTheNewestInferenceSays(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("x")}, activities.Hooks{},
		calls("c1", "a", `{}`), stored(calls("c2", "a", `{}`)), calls("c3", "a", `{}`), say("done"))
	told := limits(b)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	require.Equal(t, []int{0, 8 * mib, 0}, *told)
}

// TestCallsOfALargeBatchShareWhatAStateTakes: what is stored outside does not
// grow the history, but has to go along when the run continues.
func TestCallsOfALargeBatchShareWhatAStateTakes(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 6 {
		words = append(words, fmt.Sprintf("c%d", i), "a", `{}`)
	}
	b := newBench(t, source{"a": answers(strings.Repeat("x", 8*mib))}, activities.Hooks{}, stored(calls(words...)), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}]}`)
	require.NoError(t, err)
	total := 0
	for _, output := range allOutputs(b) {
		total += len(output)
	}
	require.Less(t, total, workflows.MaxStoredState-4*mib)
	require.Greater(t, total, workflows.MaxStoredState-5*mib)
}

// TestABatchThatFillsTheStateStillContinues has more outputs and answers than a
// state takes, all of them as large as a call may return.
func TestABatchThatFillsTheStateStillContinues(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers(strings.Repeat("x", 8*mib))}, activities.Hooks{},
		stored(calls("c1", "a", `{}`, "c2", "a", `{}`, "c3", "a", `{}`, "c4", "ask", `{}`, "c5", "ask", `{}`)), stored(say("done")))
	b.SetCurrentHistoryLength(10)
	for index := range 2 {
		b.RegisterDelayedCallback(func() {
			b.SignalWorkflow(contract.ToolOutput, map[string]any{
				"action_id": contract.ActionID(1, 3+index), "output": strings.Repeat("y", 8*mib),
			})
		}, 10*time.Second)
	}
	b.ExecuteWorkflow(contract.TypeRun, json.RawMessage(
		`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"},{"type":"function","name":"ask"}],"run":{"continue_after_events":1}}`))
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, b.GetWorkflowError(), &next)
	total := 0
	for _, output := range allOutputs(b) {
		total += len(output)
	}
	require.Less(t, total, workflows.MaxStoredState)
}

// TestAFullHistoryStillBoundsOutputs: those under the threshold of the storage
// enter it as they are.
func TestAFullHistoryStillBoundsOutputs(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 100 {
		words = append(words, fmt.Sprintf("c%d", i), "a", `{}`)
	}
	b := newBench(t, source{"a": answers("x")}, activities.Hooks{}, stored(calls(words...)), say("done"))
	b.SetCurrentHistorySize(20 << 20)
	told := limits(b)
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"max_parallel_calls":1}}`)
	require.NoError(t, err)
	require.Equal(t, 22<<20/100, (*told)[0])
	require.Equal(t, 8*mib, (*told)[99], "alone, it has the rest")
}

func TestALargeAnswerOfAClientIsKept(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"with storage": 3 * mib, "without": mib} {
		first := calls("c1", "ask", `{}`)
		if name == "with storage" {
			first = stored(first)
		}
		b := newBench(t, nil, activities.Hooks{}, first, say("done"))
		text := strings.Repeat("x", 3*mib)
		b.RegisterDelayedCallback(func() {
			b.SignalWorkflow(contract.ToolOutput, map[string]any{"action_id": contract.ActionID(1, 0), "output": text})
		}, 10*time.Second)
		_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}]}`)
		require.NoError(t, err)
		outputs := allOutputs(b)
		require.Len(t, outputs, 1, name)
		require.LessOrEqual(t, len(outputs[0]), want, name)
		require.Greater(t, len(outputs[0]), want-100, name)
	}
}

// TestALargeStateContinuesWhereThereIsStorage has a run whose conversation grows
// to 16 MiB that cannot be compressed, and that goes on in a new execution after
// every round: too much for a history, and not for a storage.
func TestALargeStateContinuesWhereThereIsStorage(t *testing.T) {
	t.Parallel()
	const rounds, size = 4, 4 * mib
	noise := func(round int) string {
		text := make([]byte, size/2)
		for i, source := 0, rand.NewChaCha8([32]byte{byte(round)}); i < len(text); i++ {
			text[i] = byte(source.Uint64())
		}
		return hex.EncodeToString(text)
	}
	var argument any = json.RawMessage(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a"}],"run":{"continue_after_events":1}}`)
	large := func(_ context.Context, call tools.Invocation) (tools.Output, error) {
		return tools.Output{Content: noise(call.Call.Round)}, nil
	}
	for execution := 0; ; execution++ {
		require.LessOrEqual(t, execution, rounds)
		var script []any
		for round := range rounds {
			script = append(script, stored(calls(fmt.Sprintf("c%d", round), "a", `{}`)))
		}
		b := newBench(t, source{"a": large}, activities.Hooks{}, append(script, stored(say("done")))...)
		b.SetCurrentHistoryLength(10)
		if execution > 0 {
			b.SetContinuedExecutionRunID("earlier")
		}
		b.ExecuteWorkflow(contract.TypeRun, argument)
		var next *workflow.ContinueAsNewError
		if errors.As(b.GetWorkflowError(), &next) {
			argument = converter.NewRawValue(next.Input.GetPayloads()[0])
			continue
		}
		result, err := b.ending()
		require.NoError(t, err)
		require.Equal(t, "done", result.OutputText)
		require.Equal(t, rounds, execution)
		require.Greater(t, len(argument.(converter.RawValue).Payload().GetData()), 4*workflows.MaxStateSize)
		outputs := allOutputs(b)
		require.Len(t, outputs, rounds)
		for i, output := range outputs {
			if noise(i+1) != output {
				require.Fail(t, "an output was cut", "output %d has %d bytes", i, len(output))
			}
		}
		return
	}
}

func TestAResultHoldsMoreWhereThereIsStorage(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", mib)
	three := stored(say(text))
	three.Items = append(three.Items, item.Message("assistant", text), item.Message("assistant", text))
	for name, answer := range map[string]activities.InferResult{"with": three, "without": {Items: three.Items}} {
		b := newBench(t, nil, activities.Hooks{}, answer)
		result, err := b.run(`{"model":"m","input":"go"}`)
		require.NoError(t, err)
		if name == "with" {
			require.Len(t, result.Output, 3)
			require.Zero(t, result.Run.ItemsLeftOut)
			continue
		}
		require.Empty(t, result.Output)
		require.Equal(t, 3, result.Run.ItemsLeftOut)
	}
}
