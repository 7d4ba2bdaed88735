package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/session"
	"errand/workflows/contract"
)

// TestARunThatContinuesEndsLikeOneThatDoesNot plays random scenes three times: in
// one execution, in a new execution at every safe point, which is after each round
// and at each wait for a client or a person, and at some of them. Result,
// conversation, events, traces, status, keys and inferences must be the same. What
// may differ is when something happened, by less than a tick: a run that continues
// after an update waits a millisecond. ERRAND_SEED plays one scene again,
// ERRAND_SCENES says how many there are.
func TestARunThatContinuesEndsLikeOneThatDoesNot(t *testing.T) {
	t.Parallel()
	first, scenes := uint64(1), uint64(120)
	if n, err := strconv.ParseUint(os.Getenv("ERRAND_SCENES"), 10, 64); err == nil {
		scenes = n
	}
	if seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64); err == nil {
		first, scenes = seed, 1
	}
	var mu sync.Mutex
	carried, ends := map[string]int{}, map[string]int{}
	t.Run("scenes", func(t *testing.T) {
		for seed := first; seed < first+scenes; seed++ {
			t.Run(fmt.Sprintf("%s=%d", seedVariable, seed), func(t *testing.T) {
				t.Parallel()
				plain, cut, some := play(t, seed, nowhere), play(t, seed, everywhere), play(t, seed, somewhere)
				require.Empty(t, plain.carried)
				require.Equal(t, plain.told(), cut.told())
				require.Equal(t, plain.told(), some.told(), "continued at some points only")
				mu.Lock()
				defer mu.Unlock()
				for what, n := range cut.carried {
					carried[what] += n
				}
				ends[cut.end()]++
			})
		}
	})
	t.Logf("seeds %d to %d: continuations with %v, ends %v", first, first+scenes-1, carried, ends)
	if scenes == 1 {
		return
	}
	for _, what := range []string{
		"between rounds", "open action", "claim", "deadline", "schema", "approval", "message", "budget",
		"activation open", "activation lost", "activation failed", "stop after_round", "after compaction", "after budget", "after delegate",
	} {
		require.Greater(t, carried[what], 10, what)
	}
}

// end says how the run ended.
func (p *playing) end() string {
	if p.result.Incomplete != nil {
		return p.result.Incomplete.Reason
	}
	if p.result.Error != nil {
		return p.result.Error.Code
	}
	return string(p.result.Status)
}

// playing is a scene under way, over all its executions.
type playing struct {
	scene
	t      *testing.T
	bench  *bench
	acts   *activities.Activities
	tools  source
	result *contract.Result
	err    error
	// keys are those of the calls that ran, choices what the model was asked, and
	// compactions what it was asked to forget.
	keys        []string
	choices     []string
	compactions []string
	visits      map[string]int
	// sent counts the messages to the run.
	sent int
	// answered counts the answers to calls of typed.
	answered map[string]int
	// sessions are all openings, keepers the Cleanups that were told of them.
	sessions []*prop
	keepers  map[session.ID]string
	// carried counts what was under way at a continuation.
	carried map[string]int
	where   where
}

var curtain = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// tick is how often something can come from outside.
const tick = 10 * time.Second

// newPlay puts a scene on the stage.
func newPlay(t *testing.T, s scene) *playing {
	t.Helper()
	p := &playing{
		scene: s, t: t, visits: map[string]int{}, answered: map[string]int{},
		keepers: map[session.ID]string{}, carried: map[string]int{},
	}
	p.acts = p.worker()
	return p
}

// where a scene continues.
type where int

const (
	nowhere where = iota
	everywhere
	// somewhere changes its mind from tick to tick.
	somewhere
)

func play(t *testing.T, seed uint64, where where) *playing {
	t.Helper()
	p := newPlay(t, newScene(seed))
	p.where = where
	option := `,"continue_after_events":1`
	if where == nowhere {
		option = ""
	}
	p.run(option, func(b *bench, _ int) {
		p.lengthen()
		b.RegisterDelayedCallback(p.arrive, tick-b.Now().Sub(curtain)%tick)
	})
	p.requireClosed(t)
	return p
}

// lengthen makes the history long enough to continue, or not.
func (p *playing) lengthen() {
	n := int(p.bench.Now().Sub(curtain) / tick)
	if p.where == somewhere && p.dice(n, "length")%3 > 0 {
		p.bench.SetCurrentHistoryLength(0)
		return
	}
	p.bench.SetCurrentHistoryLength(10)
}

// run goes through the executions. prepare is called for each before it begins.
func (p *playing) run(option string, prepare func(b *bench, execution int)) {
	p.t.Helper()
	var argument any = json.RawMessage(fmt.Sprintf(p.request, option))
	for at, n := curtain, 1; ; n++ {
		b := p.stage()
		b.SetStartTime(at)
		b.SetCurrentHistoryLength(10)
		if n > 1 {
			b.SetContinuedExecutionRunID("earlier")
		}
		prepare(b, n)
		b.ExecuteWorkflow(contract.TypeRun, argument)
		require.True(p.t, b.IsWorkflowCompleted())
		for _, in := range b.inputs {
			p.choices = append(p.choices, fmt.Sprintf("%d %d %s %s", in.Round, in.Length, in.Digest, in.ToolChoice))
		}
		var next *workflow.ContinueAsNewError
		if err := b.GetWorkflowError(); !errors.As(err, &next) {
			p.result, p.err = b.ending()
			return
		}
		p.note()
		at, argument = b.Now(), converter.NewRawValue(next.Input.GetPayloads()[0])
	}
}

// note takes down what is under way as the run continues.
func (p *playing) note() {
	var status contract.StatusReport
	p.bench.query(contract.QueryStatus, &status)
	count := func(what string, is bool) {
		if is {
			p.carried[what]++
		}
	}
	count("between rounds", status.Status != contract.PendingAction)
	for _, a := range status.Actions {
		count("open action", true)
		count("claim", a.Owner != "")
		count("deadline", !a.ExpiresAt.IsZero())
		count("schema", a.Tool == "typed")
	}
	count("approval", len(status.Approvals) > 0)
	for _, a := range status.Sessions {
		count("activation "+string(a.Status), true)
	}
	count("budget", status.Budget != nil)
	count("message", p.sent > strings.Count(fmt.Sprintf("%s", p.bench.conversation()), word))
	if status.Stop != nil {
		count("stop "+string(status.Stop.Mode), true)
	}
	var events contract.EventsPage
	p.bench.query(contract.QueryEvents, &events)
	for _, e := range events.Events {
		count("after "+string(e.Type), e.Type == contract.EventCompaction || e.Type == contract.EventBudgetSettled)
		count("after "+e.Tool, e.Type == contract.EventToolEnd && e.Tool == "delegate")
	}
}
