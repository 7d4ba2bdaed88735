package budget

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

func TestWhichBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	var b Budget
	cost := item.Cost(70)
	b.Spend(nil, &model.Spent{Usage: item.Usage{TotalTokens: 90}}, &model.Spent{Usage: item.Usage{TotalTokens: 10}, Cost: &cost})
	for want, o := range map[string]contract.RunOptions{
		"":                       {MaxTokens: 101, MaxCost: 71},
		contract.ReasonMaxTokens: {MaxTokens: 100, MaxCost: 1},
		contract.ReasonMaxCost:   {MaxCost: 70},
	} {
		require.Equal(t, want, b.Overspent(o))
	}
	require.Empty(t, new(Budget).Overspent(contract.RunOptions{MaxCost: 1}), "no price is known")
}

func TestWhichAnswersAboutABudgetAreTaken(t *testing.T) {
	t.Parallel()
	cost := item.Cost(5)
	asks, silent := Budget{Asking: &Question{}}, Budget{}
	o := contract.RunOptions{MaxRounds: 3, MaxTokens: 100}
	for name, row := range map[string]struct {
		budget Budget
		extend contract.Extend
		fault  string
	}{
		"a larger limit":        {asks, contract.Extend{MaxTokens: 200}, ""},
		"before it is asked":    {silent, contract.Extend{MaxRounds: 4}, ""},
		"nothing":               {asks, contract.Extend{}, "one is required"},
		"a smaller limit":       {asks, contract.Extend{MaxTokens: 99}, "must not be less"},
		"no such limit":         {asks, contract.Extend{MaxCost: &cost}, "no such limit"},
		"too many rounds":       {asks, contract.Extend{MaxRounds: contract.MaxRounds + 1}, "at most"},
		"declined":              {asks, contract.Extend{Decline: true}, ""},
		"declined unasked":      {silent, contract.Extend{Decline: true}, "does not ask"},
		"declined and extended": {asks, contract.Extend{Decline: true, MaxRounds: 9}, "leave it out"},
	} {
		err := row.budget.Check(row.extend, o)
		if row.fault == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, row.fault, name)
	}
	require.True(t, Raise(&o, contract.Extend{MaxTokens: 200}))
	require.False(t, Raise(&o, contract.Extend{MaxTokens: 200}), "it is the same already")
	require.Equal(t, contract.RunOptions{MaxRounds: 3, MaxTokens: 200}, o)
}
