package workflows_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/activities/model"
	"errand/tools/item"
)

// scene is a random run: its request, and what its model says.
type scene struct {
	seed    uint64
	request string
	answers []any
	// below has the answers of the delegated run for the call at a place.
	below map[string][]any
	// long are the rounds whose conversation the model finds too long at first.
	long map[int]bool
}

// sceneTools are what the model of a scene calls, some of them more often. desk
// works in something that is opened for the run; nobody knows nope.
var sceneTools = []string{
	"ask", "ask", "ask2", "typed", "hurried", "a", "a", "b", "guarded", "guarded", "exclusive", "desk", "desk", "desk", "delegate", "nope",
}

const sceneRequest = `{"model":"m","instructions":"be <brief>","input":"go & see"%s,"tools":[
	{"type":"function","name":"ask"},{"type":"custom","name":"ask2"},
	{"type":"function","name":"typed","output_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}},
	{"type":"function","name":"hurried","client_timeout":"33.11s"},
	{"type":"platform","name":"a"},{"type":"platform","name":"b","max_uses":1},{"type":"platform","name":"guarded"},
	{"type":"platform","name":"exclusive"},{"type":"platform","name":"sequential"},
	{"type":"platform","name":"desk"},{"type":"platform","name":"delegate"}],
	"run":{"max_parallel_calls":1%s%%s}}`

func newScene(seed uint64) scene {
	dice := rand.New(rand.NewPCG(seed, 0))
	s := scene{seed: seed, below: map[string][]any{}, long: map[int]bool{}}
	names := sceneTools
	if dice.IntN(3) == 0 {
		names = append(names[:len(names):len(names)], "sequential")
	}
	rounds := 1 + dice.IntN(4)
	for round := range rounds {
		var words []string
		for i := range 1 + dice.IntN(5) {
			id, name, arguments := fmt.Sprintf("c%d", i), names[dice.IntN(len(names))], fmt.Sprintf(`{"round":%d,"i":%d}`, round, i)
			if name == "delegate" {
				arguments = `{"task":"see to it"}`
				s.below[fmt.Sprintf("%d/%d", round+1, i)] = belowScene(dice)
			}
			words = append(words, id, name, arguments) // ids repeat from round to round
		}
		answer := calls(words...)
		if dice.IntN(8) == 0 {
			answer.Finish = model.FinishLength
		}
		s.answers = append(s.answers, costly(answer, round))
		s.long[round+1] = dice.IntN(4) == 0
	}
	for i := range 4 { // one for each follow-up that may come
		s.answers = append(s.answers, costly(say(fmt.Sprintf("text %d", i)), rounds+i))
	}
	s.request = fmt.Sprintf(sceneRequest, fields(dice), options(dice))
	if truncates := strings.Contains(s.request, "truncation") || strings.Contains(s.request, "compact_at"); !truncates && seed%7 > 0 {
		s.long = nil // nearly: it would only end the run
	}
	return s
}

// belowScene is what the model says in a delegated run: a few calls, then text.
func belowScene(dice *rand.Rand) []any {
	var answers []any
	for round := range dice.IntN(3) {
		tool := []string{"ask", "a", "desk"}[dice.IntN(3)]
		answers = append(answers, costly(calls("b0", tool, `{"i":0}`, "b1", "ask", `{"i":1}`), round))
	}
	if dice.IntN(5) == 0 {
		return append(answers, temporal.NewNonRetryableApplicationError("the provider broke", activities.TypeModelRejected, nil))
	}
	return append(answers, costly(say("seen to"), 0))
}

// costly gives an answer the usage of a conversation that grows, and sometimes
// that of an attempt that failed before it.
func costly(r activities.InferResult, round int) activities.InferResult {
	tokens := int64(100 * (round + 1))
	r = spends(r, tokens, cost(1_000_000))
	if round%2 == 1 {
		r.Failed = &model.Spent{Usage: item.Usage{TotalTokens: 10}, Cost: cost(500_000)}
	}
	return r
}

// options are those of the run, with at most one of each row.
func options(dice *rand.Rand) string {
	var b strings.Builder
	for _, row := range [][]string{
		{`,"client_timeout":"41.37s"`, `,"client_timeout":"41.37s","on_client_timeout":"fail"`},
		{`,"tool_execution":"sequential"`},
		{`,"undeclared_tools":"client"`},
		{`,"compact_at":250`},
		{
			`,"max_rounds":2`, `,"max_rounds":1,"on_budget":"ask"`, `,"max_tokens":250`, `,"max_tokens":250,"on_budget":"ask"`,
			`,"max_cost":0.0025`, `,"max_cost":0.0025,"on_budget":"ask"`,
		},
	} {
		if i := dice.IntN(len(row) + 2); i < len(row) {
			b.WriteString(row[i])
		}
	}
	return b.String()
}

func fields(dice *rand.Rand) string {
	var b strings.Builder
	for _, f := range []string{`,"tool_choice":"required"`, `,"max_tool_calls":2`, `,"metadata":{"k":"<v>"}`, `,"truncation":"auto"`} {
		if dice.IntN(3) == 0 {
			b.WriteString(f)
		}
	}
	return b.String()
}

// script is what the model says, round by round. It finds a long conversation
// too long once or twice.
func (p *playing) script() []func(activities.InferInput) (activities.InferResult, error) {
	var script []func(activities.InferInput) (activities.InferResult, error)
	for _, answer := range p.answers {
		script = append(script, func(in activities.InferInput) (activities.InferResult, error) {
			p.meanwhile("infer", in.Round, in.Try)
			if p.long[in.Round] && in.Try < 1+int(p.seed%2) {
				return activities.InferResult{}, temporal.NewNonRetryableApplicationError("too long", activities.TypeContextExceeded, nil)
			}
			return answer.(activities.InferResult), nil
		})
	}
	return script
}
