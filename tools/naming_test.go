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
