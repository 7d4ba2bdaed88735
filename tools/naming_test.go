package tools_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

var visible = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func TestVisibleNamesAreValidAndTellToolsApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 65)
	identities := map[string]string{} // visible name → identity
	for _, c := range []struct{ identity, name, want string }{
		{"function:get_flight-2", "get_flight-2", "get_flight-2"},
		{"function:" + long[:64], long[:64], long[:64]},
		{"function:get.flight", "get.flight", "get_flight_"},
		{"function:get/flight", "get/flight", "get_flight_"},
		{"namespace:get:flight", "get.flight", "get_flight_"},
		{"function:żółw", "żółw", "___w_"},
		{"function:a b", "a b", "a_b_"},
		{"function:\xff", "\xff", "__"},
		{"function:" + long, long, long[:53] + "_"},
		{"function:" + long + "n", long + "n", long[:53] + "_"},
		{"function:", "", "tool_"},
		{"mcp:", "", "tool_"},
		{"function:💥", strings.Repeat("💥", 80), strings.Repeat("_", 54)},
	} {
		got := tools.VisibleName(c.identity, c.name)
		require.Regexp(t, visible, got)
		require.True(t, strings.HasPrefix(got, c.want), "%q for %q", got, c.name)
		require.Equal(t, got, tools.VisibleName(c.identity, c.name))
		require.NotContains(t, identities, got)
		identities[got] = c.identity
	}
}

func TestANameChangesOnlyWhenItMust(t *testing.T) {
	t.Parallel()
	require.Equal(t, "get_flight_"+hashOfGetFlight, tools.VisibleName("function:get.flight", "get.flight"))
	require.False(t, tools.ValidName(""))
	require.False(t, tools.ValidName("a.b"))
	require.False(t, tools.ValidName(strings.Repeat("a", 65)))
	require.True(t, tools.ValidName("A-b_9"))
}

// hashOfGetFlight is fixed: names must not change between releases, or a run
// in flight would not find its tools again.
const hashOfGetFlight = "457cdc1d36"

func FuzzVisibleName(f *testing.F) {
	f.Add("function:a", "a")
	f.Add("function:a.b", "a.b")
	f.Add("", "")
	f.Add("x", strings.Repeat("é", 100))
	f.Fuzz(func(t *testing.T, identity, name string) {
		got := tools.VisibleName(identity, name)
		require.Regexp(t, visible, got)
		require.Equal(t, tools.ValidName(name), got == name)
	})
}

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
