package test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	historypb "go.temporal.io/api/history/v1"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"errand/test/harness"
	"errand/tools"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

// asked is how much a test does: little in `make test`, all of it in
// `make long`.
func asked(little, all int) int {
	if os.Getenv("ERRAND_LONG") != "" {
		return all
	}
	return little
}

// digger is a model that asks for the same number of calls in each round.
type digger struct{ rounds, calls int }

func (d digger) Infer(_ context.Context, request worker.ModelRequest) (worker.ModelAnswer, error) {
	round := (len(request.Items)-1)/(2*d.calls) + 1
	if round > d.rounds {
		return worker.ModelAnswer{Items: []json.RawMessage{item.Message("assistant", "That is all.")}}, nil
	}
	var answer worker.ModelAnswer
	for i := range d.calls {
		answer.Items = append(answer.Items, item.FunctionCall(
			fmt.Sprintf("call_%d_%d", round, i), "dig", fmt.Sprintf(`{"path":"notes/%d/%d.md"}`, round, i)))
	}
	return answer, nil
}

// prose is text that compresses as prose does, and no two are the same.
func prose(seed string, size int) string {
	var b strings.Builder
	dice := rand.New(rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%-32.32s", seed)))))
	for b.Len() < size {
		for range 2 + dice.IntN(8) {
			b.WriteByte("etaoinshrdlucmfw"[min(dice.IntN(16), dice.IntN(16))])
		}
		b.WriteByte(' ')
	}
	return b.String()[:size]
}

func dig(size int) worker.Tool {
	return worker.Tool{
		Name: "dig", Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
		Execute: func(_ context.Context, call tools.Invocation) (tools.Output, error) {
			return tools.Output{Content: prose(call.Key, size)}, nil
		},
	}
}

// growth is what the rounds of a run have cost.
type growth struct {
	// bytes are those of the history by round, without what a continuation
	// carries.
	bytes      []int
	items      int
	executions int
}

// measure reads the histories of a run.
func (s *stage) measure(runID, first string) (growth, []*historypb.History) {
	s.t.Helper()
	var g growth
	chain := s.executions(runID, first)
	g.executions = len(chain)
	round := 0
	for _, h := range chain {
		for _, e := range h.Events {
			id := e.GetActivityTaskScheduledEventAttributes().GetActivityId()
			if n, err := strconv.Atoi(strings.TrimSuffix(id, "/infer")); err == nil {
				round = n
			}
			for len(g.bytes) <= round {
				g.bytes = append(g.bytes, 0)
			}
			if e.GetWorkflowExecutionStartedEventAttributes() == nil && e.GetWorkflowExecutionContinuedAsNewEventAttributes() == nil {
				g.bytes[round] += proto.Size(e)
			}
		}
	}
	for it, err := range s.starter.Attach(runID).Conversation(within(s.t)) {
		require.NoError(s.t, err)
		g.items += len(it)
	}
	return g, chain
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

func (s *stage) digs(rounds, calls, size int, options string) (growth, []*historypb.History) {
	s.t.Helper()
	config := s.config("")
	config.Models = nil
	s.workWith(config, worker.WithModel(digger{rounds, calls}), worker.WithTools(dig(size)))
	began := time.Now()
	run, first := s.startFirst(fmt.Sprintf(
		`{"model":"m","input":"go","tools":[{"type":"platform","name":"dig"}],"run":{"max_rounds":%d%s}}`, rounds+1, options))
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Duration(asked(2, 20))*time.Minute)
	defer cancel()
	result, err := run.Result(ctx)
	require.NoError(s.t, err)
	require.Equal(s.t, contract.Completed, result.Status, "%v", result.Incomplete)
	require.Equal(s.t, rounds+1, result.Run.Rounds)
	g, chain := s.measure(run.ID(), first)
	s.t.Logf("%d rounds of %d calls of %d bytes in %s: %d executions, %d bytes of history for %d bytes of items (%.2f), %d bytes a round",
		rounds, calls, size, time.Since(began).Round(time.Millisecond), g.executions, sum(g.bytes), g.items,
		float64(sum(g.bytes))/float64(g.items), sum(g.bytes)/rounds)
	return g, chain
}

// TestHistoryGrowsWithTheWork plays a run of many rounds. The last rounds must
// cost what the first ones did, and an item must not be in history twice.
func TestHistoryGrowsWithTheWork(t *testing.T) {
	t.Parallel()
	rounds := asked(60, 1000)
	s := newStage(t, harness.Always(harness.Say("unused")))
	g, chain := s.digs(rounds, 2, 4000, fmt.Sprintf(`,"continue_after_events":%d`, asked(400, 0)))
	part := rounds / 10
	early, late := sum(g.bytes[2:2+part]), sum(g.bytes[rounds-part+1:rounds+1])
	t.Logf("rounds 2 to %d: %d bytes each; the last %d: %d bytes each", part+1, early/part, part, late/part)
	require.InEpsilon(t, early, late, 0.1)
	require.LessOrEqual(t, float64(sum(g.bytes)), 1.5*float64(g.items))
	require.Greater(t, g.executions, 1)
	began := time.Now()
	for _, h := range chain {
		require.NoError(t, replayer(t).ReplayWorkflowHistory(worker.TemporalLogger(zap.NewNop()), h))
	}
	t.Logf("replay of all executions: %s", time.Since(began).Round(time.Millisecond))
}

// TestAConversationOfTwoMegabytesFinishes, in one execution and in several,
// whether its text compresses or not.
func TestAConversationOfTwoMegabytesFinishes(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]string{"by the server": "", "every 300 events": `,"continue_after_events":300`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, harness.Always(harness.Say("unused")))
			g, _ := s.digs(100, 1, 20_000, options)
			require.Greater(t, g.items, 2_000_000)
		})
	}
}
