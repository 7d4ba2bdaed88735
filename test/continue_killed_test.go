package test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/workflows/contract"
)

// moment is when the worker of runs that continue is killed.
type moment string

const (
	never moment = "never"
	// atContinue is in the workflow task that continues the run, atFirst in the
	// first one of its next execution: their results do not leave the worker.
	atContinue moment = "continue"
	atFirst    moment = "first"
	// whileOpen is once the next execution waits.
	whileOpen moment = "open"
)

// TestEveryMidStateSurvivesAKillAroundAContinuation: runs that continue wherever
// they can come into every state that can outlast it, and their worker is killed
// in the middle. What they tell in the end is what they tell without either. What
// a killed worker held for a run may be opened again; where another worker holds
// it, not even that.
func TestEveryMidStateSurvivesAKillAroundAContinuation(t *testing.T) {
	t.Parallel()
	stages := []*midStage{newMidStage(t, never, false)}
	for _, when := range []moment{atContinue, atFirst, whileOpen} {
		stages = append(stages, newMidStage(t, when, false), newMidStage(t, when, true))
	}
	for _, step := range []func(*midStage){(*midStage).begin, (*midStage).enter, (*midStage).strike, (*midStage).leave} {
		for _, s := range stages { // step by step: each of them waits for a server to notice
			step(s)
		}
	}
	unharmed := stages[0].told()
	for _, s := range stages[1:] {
		for state, told := range s.told() {
			require.Equal(t, unharmed[state], told, "%s of a run whose worker was killed (%s, holder apart: %t)", state, s.when, s.apart)
		}
	}
}

// midStage is a stage with a run in each state.
type midStage struct {
	*crashStage
	when moment
	// apart is true if the worker that is killed takes no calls: another one does,
	// and holds what is opened.
	apart  bool
	runs   []*midRun
	victim *harness.Process
}

// midRun is the run that comes into a state.
type midRun struct {
	midState
	s   *midStage
	run *starter.Run
	// seen counts what the world was told before the state was formed.
	seen int
	// before is the execution in which the worker was killed.
	before string
}

func newMidStage(t *testing.T, when moment, apart bool) *midStage {
	t.Helper()
	s := &midStage{when: when, apart: apart}
	var cases []harness.Case
	for _, state := range midStates {
		if apart && !state.activates {
			continue
		}
		s.runs = append(s.runs, &midRun{midState: state, s: s})
		cases = append(cases, harness.WhenBegun(state.name, harness.Rounds(state.says...)))
	}
	cases = append(cases, harness.WhenBegun("below", harness.Rounds(harness.Call("ask", `{}`), harness.Say("from below"))))
	s.crashStage = newCrashStage(t, harness.Match(cases...))
	s.queue = fmt.Sprintf("%s-%s-%t", s.queue, when, apart)
	s.starter = starter.New(s.client, starter.TaskQueue(s.queue))
	return s
}

// begin starts the worker that will be killed, and the runs.
func (s *midStage) begin() {
	s.t.Helper()
	if s.apart {
		s.employ("ONLY=activities")
	}
	s.victim = s.employ("TELL_TASKS=1", s.only())
	for _, r := range s.runs {
		r.begin()
	}
}

// employ starts a worker and does not wait for it.
func (s *midStage) employ(env ...string) *harness.Process {
	s.t.Helper()
	env = append(env, "WORLD_URL="+s.world.URL, "GUARD=look")
	return harness.StartProcess(s.t, harness.Command{Path: s.binary, Env: s.workerEnv(env...)})
}

// only says what the killed worker takes, and its successor.
func (s *midStage) only() string {
	if s.apart {
		return "ONLY=workflows"
	}
	return "ONLY="
}

// enter brings the runs into their states.
func (s *midStage) enter() {
	for _, r := range s.runs {
		r.enter()
	}
}

// strike kills the worker at the moment of all runs, and starts its successor.
func (s *midStage) strike() {
	s.t.Helper()
	if s.when == never {
		return
	}
	for _, r := range s.runs {
		r.reach()
		r.before = r.execution()
	}
	s.victim.Kill9()
	s.world.ReleaseAll()
	s.employ(s.only())
}

// leave has the runs go on.
func (s *midStage) leave() {
	s.t.Helper()
	for _, r := range s.runs {
		if s.when == atContinue {
			r.wait(func() bool { return r.execution() != r.before }, "it has continued")
		}
		r.waitOpen()
		r.leave(s.t, r.run)
	}
}

// told is what the runs tell in the end, by their states.
func (s *midStage) told() map[string]string {
	s.t.Helper()
	told := map[string]string{}
	for _, r := range s.runs {
		result, err := r.run.Result(within(s.t))
		require.NoError(s.t, err, r.id())
		if r.check != nil {
			r.check(s, result)
		}
		if r.activates {
			told[r.name+" but for openings"] = r.told(result, true)
		}
		if !r.activates || s.apart || s.when == never {
			told[r.name] = r.told(result, false)
		}
	}
	return told
}

// id is that of the run in this state: other stages are on the same server.
func (r *midRun) id() string {
	return fmt.Sprintf("%s-%s-%t", r.name, r.s.when, r.s.apart)
}

// begin starts the run. It forms the state by itself, unless there is more to do.
func (r *midRun) begin() {
	r.s.t.Helper()
	if r.form == nil {
		r.hold()
	}
	options := r.options
	if r.s.when != never {
		options.ContinueAfterEvents = 1
	}
	run, err := r.s.starter.Start(within(r.s.t), starter.Request{
		Model: "m", Input: r.name, Run: options, Tools: []starter.Tool{
			starter.Function("ask", "", nil), starter.Platform("look"), starter.Platform("apply"), starter.Platform("work"), starter.Platform("delegate"),
		},
	}, starter.WithRunID(r.id()))
	require.NoError(r.s.t, err)
	r.run = run
}

// enter does what the run needs to come into its state.
func (r *midRun) enter() {
	r.s.t.Helper()
	if r.form == nil {
		return
	}
	r.rest(1)
	if r.lead != nil {
		r.lead(r.s.t, r.run)
		r.rest(2)
	}
	r.hold()
	r.form(r.s.t, r.run)
}

// rest waits until the run waits for its client, having continued so often.
func (r *midRun) rest(times int) {
	r.s.t.Helper()
	if r.s.when != never {
		r.wait(func() bool { return len(r.s.world.Arrived("first/"+r.id())) >= times }, "it has continued")
	}
	pendingAction(r.s.t, r.run)
}

// hold has the world hold the next workflow task of the moment.
func (r *midRun) hold() {
	switch r.s.when {
	case atContinue, atFirst:
		r.seen = len(r.s.world.Arrived(r.mark()))
		r.s.world.Hold(r.mark())
	case whileOpen:
		r.seen = len(r.s.world.Arrived(r.mark()))
	case never:
	}
}

// mark is what the world is told at the moment.
func (r *midRun) mark() string {
	if r.s.when == whileOpen {
		return "first/" + r.id()
	}
	return string(r.s.when) + "/" + r.id()
}

// reach waits for the moment.
func (r *midRun) reach() {
	r.s.t.Helper()
	r.wait(func() bool { return len(r.s.world.Arrived(r.mark())) > r.seen }, string(r.s.when))
	if r.s.when == whileOpen {
		r.waitOpen()
	}
}

func (r *midRun) waitOpen() {
	r.s.t.Helper()
	var status contract.StatusReport
	harness.Eventually(r.s.t, patience, func() (bool, string) {
		var err error
		status, err = r.run.Status(within(r.s.t))
		return err == nil && r.open(status), fmt.Sprint(status, err)
	}, r.id()+" is open")
}

func (r *midRun) wait(holds func() bool, what string) {
	r.s.t.Helper()
	harness.Eventually(r.s.t, patience, func() (bool, string) { return holds(), "" }, r.id()+": "+what)
}

// execution is the one that the run, or the delegated run in it, is in.
func (r *midRun) execution() string {
	r.s.t.Helper()
	found, err := r.s.client.DescribeWorkflow(within(r.s.t), r.id(), "")
	require.NoError(r.s.t, err)
	for _, below := range found.RawResponse.GetPendingChildren() {
		if strings.Contains(below.GetWorkflowTypeName(), "Delegated") {
			inner, err := r.s.client.DescribeWorkflow(within(r.s.t), below.GetWorkflowId(), "")
			require.NoError(r.s.t, err)
			return inner.WorkflowExecution.RunID
		}
	}
	return found.WorkflowExecution.RunID
}

// told is all that the run says of itself, without times.
func (r *midRun) told(result *contract.Result, butOpenings bool) string {
	r.s.t.Helper()
	ctx := within(r.s.t)
	events, err := r.run.Events(ctx, 0)
	require.NoError(r.s.t, err)
	if butOpenings {
		some := *result
		some.Run.Release = nil
		result = &some
		events.Next = 0
		events.Events = slices.DeleteFunc(events.Events, func(e contract.Event) bool {
			return e.Type == contract.EventActivation || e.Type == contract.EventRelease
		})
		for i := range events.Events {
			events.Events[i].Seq = 0
		}
	}
	var items []json.RawMessage
	for it, err := range r.run.Conversation(ctx) {
		require.NoError(r.s.t, err)
		items = append(items, it)
	}
	text, err := json.Marshal([]any{result, events, items})
	require.NoError(r.s.t, err)
	return timeless(r.s.t, strings.ReplaceAll(string(text), r.id(), "RUN"))
}

// timeless is JSON without the fields that hold times.
func timeless(t *testing.T, text string) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	var strip func(any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"at", "started_at", "ended_at", "duration_ms"} {
				delete(v, name)
			}
			for _, inner := range v {
				strip(inner)
			}
		case []any:
			for _, inner := range v {
				strip(inner)
			}
		}
	}
	strip(value)
	plain, err := json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	return string(plain)
}
