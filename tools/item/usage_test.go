package item_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/item"
)

func TestUsageIsSummedAndNoneIsInvented(t *testing.T) {
	t.Parallel()
	var sum item.Usage
	sum.Add(nil)
	require.Equal(t, item.Usage{}, sum)
	for _, round := range []*item.Usage{
		{InputTokens: 5, OutputTokens: 3, TotalTokens: 8, Input: &item.InputDetails{CachedTokens: 2}},
		nil,
		{InputTokens: 7, OutputTokens: 1, TotalTokens: 8, Input: &item.InputDetails{CachedTokens: 1}, Output: &item.OutputDetails{ReasoningTokens: 4}},
		{InputTokens: 1, TotalTokens: 1},
	} {
		sum.Add(round)
	}
	require.Equal(t, item.Usage{
		InputTokens: 13, OutputTokens: 4, TotalTokens: 17,
		Input: &item.InputDetails{CachedTokens: 3}, Output: &item.OutputDetails{ReasoningTokens: 4},
	}, sum)
}
