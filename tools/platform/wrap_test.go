package platform_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/platform"
)

func TestWrappedToolsKeepWhatTheyAre(t *testing.T) {
	t.Parallel()
	inner := platform.Tool{
		Name: "t", Description: "d", Parameters: json.RawMessage(`{}`), OutputSchema: json.RawMessage(`true`),
		Effect: tools.EffectIdempotent, Checkpointable: true, ParallelSafe: true, Timeout: time.Minute, Execute: ok,
		PrepareArguments: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"adapted":true}`), nil },
	}
	var key string
	outer := platform.Wrap(inner, func(next platform.Execute) platform.Execute {
		return func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
			key = call.Key
			output, err := next(ctx, call)
			output.Terminate = true
			return output, err
		}
	})
	before, _ := source(t, inner).Describe("t")
	s := source(t, outer)
	after, _ := s.Describe("t")
	require.Equal(t, before, after)
	adapted, err := s.Prepare("t", []byte(`{}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"adapted":true}`, string(adapted))

	output, err := s.Execute(t.Context(), "t", tools.Invocation{Key: "run/1/0"})
	require.NoError(t, err)
	require.Equal(t, tools.Output{Content: "ok", Terminate: true}, output)
	require.Equal(t, "run/1/0", key)

	output, err = source(t, inner).Execute(t.Context(), "t", tools.Invocation{})
	require.NoError(t, err)
	require.False(t, output.Terminate, "the tool itself did not change")
}

func TestWrappedToolsMayBeChanged(t *testing.T) {
	t.Parallel()
	cached := platform.Wrap(platform.Tool{Name: "t", Execute: ok}, func(platform.Execute) platform.Execute {
		return func(context.Context, tools.Invocation) (tools.Output, error) {
			return tools.Output{}, errors.New("nothing is kept for this")
		}
	})
	cached.Name, cached.Effect, cached.ReadOnly = "t_cached", tools.EffectRead, true
	s := source(t, platform.Tool{Name: "t", Execute: ok}, cached)
	d, _ := s.Describe("t_cached")
	require.Equal(t, tools.EffectRead, d.Effect)
	require.False(t, d.Capabilities.Writes)
	_, err := s.Execute(t.Context(), "t_cached", tools.Invocation{})
	require.EqualError(t, err, "nothing is kept for this")
	d, _ = s.Describe("t")
	require.Equal(t, tools.EffectOnce, d.Effect)
}

func TestWrapsThatCannotRunAreFoundEarly(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]platform.Tool{
		"nothing to wrap":     platform.Wrap(platform.Tool{Name: "t"}, func(next platform.Execute) platform.Execute { return next }),
		"nothing around":      platform.Wrap(platform.Tool{Name: "t", Execute: ok}, nil),
		"nothing comes of it": platform.Wrap(platform.Tool{Name: "t", Execute: ok}, func(platform.Execute) platform.Execute { return nil }),
	} {
		_, err := platform.NewSource(tool)
		require.ErrorContains(t, err, `tool "t" has no Execute function`, name)
	}
}
