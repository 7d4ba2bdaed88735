package workflows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/workflows/contract"
)

func TestARunDeclaresAtMost64Servers(t *testing.T) {
	t.Parallel()
	request := func(count int) string {
		declared := make([]string, count)
		for i := range declared {
			declared[i] = fmt.Sprintf(`{"type":"mcp","server_label":"s%d"}`, i)
		}
		return `{"model":"m","input":"go","tools":[` + strings.Join(declared, ",") + `]}`
	}
	answer := say("done")
	result, err := newBench(t, nil, activities.Hooks{}, answer).run(request(64))
	require.NoError(t, err)
	require.Equal(t, "completed", string(result.Status))
	b := newBench(t, nil, activities.Hooks{})
	result, err = b.run(request(65))
	require.Error(t, err)
	require.Equal(t, contract.ErrInvalidRequest, result.Error.Code)
	require.Len(t, result.Error.Faults, 1)
	require.Equal(t, "tools", result.Error.Faults[0].Path)
	require.Contains(t, result.Error.Faults[0].Message, "65 MCP servers are declared, at most 64")
	require.Empty(t, b.inputs)
	for id := range b.ended {
		require.NotContains(t, id, "/list", "no server is asked")
	}
}
