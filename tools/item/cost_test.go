package item

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCostIsTheAmountAsJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Cost{"0": 0, "0.0125": 12_500_000, "3": 3 * billion, "0.000000001": 1, "1e-3": 1_000_000} {
		var c Cost
		require.NoError(t, json.Unmarshal([]byte(text), &c), text)
		require.Equal(t, want, c, text)
		again, err := json.Marshal(c)
		require.NoError(t, err)
		var back Cost
		require.NoError(t, json.Unmarshal(again, &back))
		require.Equal(t, want, back, string(again))
	}
	require.Equal(t, "0.0125", Cost(12_500_000).String())
	for _, bad := range []string{"-1", `"1"`, "true", "1e30", `"a"`} {
		var c Cost
		require.Error(t, json.Unmarshal([]byte(bad), &c), bad)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -0.1} {
		_, ok := CostOf(bad)
		require.False(t, ok)
	}
}
