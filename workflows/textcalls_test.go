package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/workflows/contract"
)

func TestWorkersLearnFromTheSurfaceWhetherTextMayHoldCalls(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]bool{
		`{"model":"m","input":"hi","run":{"text_calls":true}}`: true,
		`{"model":"m","input":"hi"}`:                           false,
	} {
		b := newBench(t, nil, activities.Hooks{}, say("done"))
		_, err := b.run(request)
		require.NoError(t, err)
		var page contract.SurfacePage
		b.query(contract.QuerySurface, &page)
		if want {
			require.Contains(t, page.Text, `"text_calls":true`)
		} else {
			require.NotContains(t, page.Text, "text_calls")
		}
	}
}
