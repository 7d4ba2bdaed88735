package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/workflows"
)

// TestARunThatContinuesEndsLikeOneThatDoesNot plays random scenes twice: once
// in one execution, and once in a new execution at every safe point, which is
// after each round and at each wait for a client or a person. Result,
// conversation, events, traces, keys and inferences must be the same.
// ERRAND_SEED plays one scene again.
func TestARunThatContinuesEndsLikeOneThatDoesNot(t *testing.T) {
	t.Parallel()
	first, scenes := uint64(1), uint64(60)
	if seed, err := strconv.ParseUint(os.Getenv("ERRAND_SEED"), 10, 64); err == nil {
		first, scenes = seed, 1
	}
	between, within := 0, 0
	for seed := first; seed < first+scenes; seed++ {
		plain := play(t, seed, "")
		cut := play(t, seed, `,"continue_after_events":1`)
		require.Zero(t, plain.between+plain.within)
		require.Equal(t, plain.told(t), cut.told(t), "seed %d", seed)
		between, within = between+cut.between, within+cut.within
	}
	t.Logf("seeds %d to %d: %d continuations between rounds, %d within", first, first+scenes-1, between, within)
	if scenes > 1 {
		require.Greater(t, between, 50)
		require.Greater(t, within, 50)
	}
}

// scene is a random run and what happens to it from outside.
type scene struct {
	seed    uint64
	answers []any
	request string
}

func newScene(seed uint64) scene {
	dice := rand.New(rand.NewPCG(seed, 0))
	s := scene{seed: seed}
	names := []string{"ask", "ask", "ask2", "a", "a", "b", "guarded", "guarded", "exclusive", "nope"}
	if dice.IntN(3) == 0 {
		names = append(names, "sequential")
	}
	for round := range 1 + dice.IntN(4) {
		var words []string
		for i := range 1 + dice.IntN(5) {
			id := fmt.Sprintf("c%d", i) // ids repeat from round to round
			words = append(words, id, names[dice.IntN(len(names))], fmt.Sprintf(`{"round":%d,"i":%d}`, round, i))
		}
		answer := calls(words...)
		if dice.IntN(8) == 0 {
			answer.Stop = activities.StopLength
		}
		s.answers = append(s.answers, answer)
	}
	for i := range 4 { // one for each follow-up that may come
		s.answers = append(s.answers, say(fmt.Sprintf("text %d", i)))
	}
	options := ""
	for _, o := range []string{`,"client_timeout":"45s"`, `,"tool_execution":"sequential"`, `,"undeclared_tools":"client"`, `,"max_rounds":2`, `,"max_rounds":1,"on_budget":"ask"`} {
		if dice.IntN(4) == 0 && !strings.Contains(options, "max_rounds") {
			options += o
		}
	}
	fields := ""
	for _, f := range []string{`,"tool_choice":"required"`, `,"max_tool_calls":2`, `,"metadata":{"k":"<v>"}`} {
		if dice.IntN(3) == 0 {
			fields += f
		}
	}
	s.request = `{"model":"m","instructions":"be <brief>","input":"go & see"` + fields + `,"tools":[
		{"type":"function","name":"ask"},{"type":"custom","name":"ask2"},{"type":"platform","name":"a"},
		{"type":"platform","name":"b","max_uses":1},{"type":"platform","name":"guarded"},
		{"type":"platform","name":"exclusive"},{"type":"platform","name":"sequential"}],"run":{"max_parallel_calls":1` + options + `%s}}`
	return s
}

// playing is a scene under way, over all its executions.
type playing struct {
	scene
	bench   *bench
	result  *workflows.Result
	err     error
	keys    []string
	choices []string
	visits  map[string]int
	// between and within count the continuations.
	between, within int
}

var curtain = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// tick is how often something can come from outside.
const tick = 10 * time.Second

func play(t *testing.T, seed uint64, option string) *playing {
	t.Helper()
	p := &playing{scene: newScene(seed), visits: map[string]int{}}
	var argument any = json.RawMessage(fmt.Sprintf(p.request, option))
	for at, previous := curtain, ""; ; previous = "earlier" {
		b := newBench(t, p.platform(), p.hooks(), p.answers...)
		p.bench = b
		b.SetStartTime(at)
		b.SetCurrentHistoryLength(10)
		b.SetContinuedExecutionRunID(previous)
		b.RegisterDelayedCallback(p.knock, tick-at.Sub(curtain)%tick)
		b.ExecuteWorkflow(workflows.TypeRun, argument)
		require.True(t, b.IsWorkflowCompleted(), "seed %d", seed)
		for _, in := range b.inputs {
			p.choices = append(p.choices, fmt.Sprintf("%d %d %s %s", in.Round, in.Length, in.Digest, in.ToolChoice))
		}
		var next *workflow.ContinueAsNewError
		if err := b.GetWorkflowError(); !errors.As(err, &next) {
			p.result, p.err = b.ending()
			return p
		}
		var status workflows.StatusReport
		b.query(workflows.QueryStatus, &status)
		if status.Status == workflows.PendingAction {
			p.within++
		} else {
			p.between++
		}
		at, argument = b.Now(), converter.NewRawValue(next.Input.GetPayloads()[0])
	}
}
