package tools_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func remote(label, tool string) tools.Entry {
	return tools.Entry{Descriptor: tools.Descriptor{
		ModelName: tool, Name: tool, Namespace: label, Type: tools.TypeMCP, Owner: tools.OwnedByGateway,
		GatewayTool: tools.GatewayTool{Remote: &tools.Remote{Server: label, Tool: tool}},
	}}
}

func own(name string) tools.Entry {
	return tools.Entry{Descriptor: tools.Descriptor{ModelName: name, Name: name, Type: tools.TypeFunction, Owner: tools.OwnedByClient}}
}

func TestToolsOfServersTakeTheirOwnNamesUnlessTheyClash(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	for name, row := range map[string]struct {
		entries []tools.Entry
		want    []string
	}{
		"alone":                   {[]tools.Entry{remote("db", "q")}, []string{"q"}},
		"with a client's":         {[]tools.Entry{remote("db", "q"), own("q")}, []string{"db__q", "q"}},
		"of two servers":          {[]tools.Entry{remote("a", "q"), remote("b", "q")}, []string{"a__q", "b__q"}},
		"the way out is taken":    {[]tools.Entry{remote("a", "q"), own("q"), own("a__q")}, []string{"a_q_", "q", "a__q"}},
		"not in the alphabet":     {[]tools.Entry{remote("a", "read.file"), remote("a", "read/file")}, []string{"read_file_", "read_file_"}},
		"too long for the prefix": {[]tools.Entry{remote("a", long[:64]), own(long[:64])}, []string{"a__xxx", long[:64]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools.NameServerTools(row.entries)
			seen := map[string]bool{}
			for i, e := range row.entries {
				require.True(t, strings.HasPrefix(e.ModelName, row.want[i]), "%s for %s", e.ModelName, row.want[i])
				require.True(t, tools.ValidName(e.ModelName))
				require.False(t, seen[e.ModelName], "two tools look the same")
				seen[e.ModelName] = true
			}
			_, _, faults := tools.NewRegistry(row.entries, tools.DuplicatesError)
			require.Empty(t, faults)
		})
	}
}
