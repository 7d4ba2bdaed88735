package workflows

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

// TestLongDurationsOfAStoredRunAreBounded: a run that goes on has its request
// from an older build.
func TestLongDurationsOfAStoredRunAreBounded(t *testing.T) {
	t.Parallel()
	const ages = time.Duration(math.MaxInt64)
	forAges := ages
	r := &run{request: Request{Run: Options{ToolTimeout: ages, ClientTimeout: ages}}}
	for name, tool := range map[string]tools.Descriptor{
		"the run's own": {},
		"the tool's":    {ClientTool: tools.ClientTool{ClientTimeout: &forAges}, GatewayTool: tools.GatewayTool{Timeout: ages}},
	} {
		c := &call{tool: tool}
		require.Equal(t, tools.MaxDuration, r.toolLimit(c), name)
		require.Equal(t, tools.MaxDuration, r.clientTimeout(c), name)
		require.Greater(t, executeOptions(c, r.toolLimit(c), 1).StartToCloseTimeout, tools.MaxDuration, name)
	}
}
