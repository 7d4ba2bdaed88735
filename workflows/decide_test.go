package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
)

func TestDecisionAfterARound(t *testing.T) {
	t.Parallel()
	early := func(reason string) decision { return decision{kind: stopEarly, reason: reason} }
	for name, row := range map[string]struct {
		facts facts
		want  decision
	}{
		"no calls ends the run":                     {facts{round: 1, maxRounds: 5}, decision{kind: finished}},
		"calls go on":                               {facts{calls: 2, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"the last round with calls is incomplete":   {facts{calls: 2, round: 5, maxRounds: 5}, early("max_rounds")},
		"the last round without calls is complete":  {facts{round: 5, maxRounds: 5}, decision{kind: finished}},
		"a batch that terminates ends the run":      {facts{calls: 2, terminating: true, round: 1, maxRounds: 5}, decision{kind: finished}},
		"a batch that terminates in the last round": {facts{calls: 2, terminating: true, round: 5, maxRounds: 5}, decision{kind: finished}},
		"a cut answer without calls is incomplete":  {facts{stop: model.FinishLength, round: 1, maxRounds: 5}, early("max_output_tokens")},
		"a cut answer with calls goes on":           {facts{calls: 1, stop: model.FinishLength, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"a cut answer with calls counts as a round": {facts{calls: 1, stop: model.FinishLength, round: 5, maxRounds: 5}, early("max_rounds")},
		"a filtered answer ends the run":            {facts{stop: model.FinishFilter, round: 1, maxRounds: 5}, early("content_filter")},
		"a filtered answer with calls ends the run": {facts{calls: 1, stop: model.FinishFilter, round: 1, maxRounds: 5}, early("content_filter")},
		"steering keeps a finished run going":       {facts{steering: 1, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"steering keeps a terminating run going":    {facts{calls: 1, terminating: true, steering: 1, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"steering does not lift the round cap":      {facts{steering: 1, round: 5, maxRounds: 5}, early("max_rounds")},
		"a follow-up waits while there are calls":   {facts{calls: 1, followUps: 1, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"a follow-up comes when there are none":     {facts{followUps: 1, round: 1, maxRounds: 5}, decision{kind: goOn, followUp: true}},
		"a follow-up waits for steering":            {facts{followUps: 1, steering: 1, round: 1, maxRounds: 5}, decision{kind: goOn}},
		"a follow-up after a cut answer":            {facts{followUps: 1, stop: model.FinishLength, round: 1, maxRounds: 5}, decision{kind: goOn, followUp: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, decide(row.facts))
		})
	}
}
