package builtin_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/builtin"
	"errand/tools/platform"
)

// call runs a built-in tool as a worker does.
func call(t *testing.T, config builtin.Config, name string, arguments any) (tools.Output, error) {
	t.Helper()
	return callIn(t.Context(), t, config, name, arguments)
}

func callIn(ctx context.Context, t *testing.T, config builtin.Config, name string, arguments any) (tools.Output, error) {
	t.Helper()
	source, err := platform.NewSource(builtin.Tools(config)...)
	require.NoError(t, err)
	raw, err := json.Marshal(arguments)
	require.NoError(t, err)
	return source.Execute(ctx, name, tools.Invocation{Arguments: raw, Attempt: 1})
}

func TestTheToolsSayWhatTheyDoToTheWorld(t *testing.T) {
	t.Parallel()
	source, err := platform.NewSource(builtin.Tools(builtin.Config{})...)
	require.NoError(t, err)
	for name, effect := range map[string]tools.Effect{
		"now": tools.EffectRead, "read_file": tools.EffectRead, "list_files": tools.EffectRead,
		"fetch_url": tools.EffectRead, "write_file": tools.EffectIdempotent,
	} {
		d, ok := source.Describe(name)
		require.True(t, ok, name)
		require.Equal(t, effect, d.Effect, name)
		require.Equal(t, name == "write_file", d.Capabilities.Writes, name)
		require.Equal(t, name != "write_file", d.ParallelSafe, name)
		require.NotEmpty(t, d.Description, name)
	}
}

func TestNowKnowsTimeZones(t *testing.T) {
	t.Parallel()
	for zone, offset := range map[string]int{"": 0, "UTC": 0, "Asia/Tokyo": 9 * 3600, "Asia/Kolkata": 19800} {
		out, err := call(t, builtin.Config{}, "now", map[string]string{"timezone": zone})
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, out.Content.(string))
		require.NoError(t, err)
		require.WithinDuration(t, time.Now(), at, time.Minute)
		_, got := at.Zone()
		require.Equal(t, offset, got, zone)
	}
}

func TestNowRefusesWhatIsNoTimeZone(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Mars/Olympus", "Local", "../../etc/passwd", "GMT+25"} {
		_, err := call(t, builtin.Config{}, "now", map[string]string{"timezone": zone})
		require.ErrorContains(t, err, "timezone: ")
	}
}
