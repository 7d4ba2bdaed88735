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

func ok(context.Context, tools.Invocation) (tools.Output, error) {
	return tools.Output{Content: "ok"}, nil
}

func source(t *testing.T, all ...platform.Tool) *platform.Source {
	t.Helper()
	s, err := platform.NewSource(all...)
	require.NoError(t, err)
	return s
}

func TestADescriptorHasTheDefaultsResolved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool   platform.Tool
		effect tools.Effect
		writes bool
	}{
		"says nothing": {platform.Tool{}, tools.EffectOnce, true},
		"read-only":    {platform.Tool{ReadOnly: true}, tools.EffectRead, false},
		"reads":        {platform.Tool{Effect: tools.EffectRead}, tools.EffectRead, false},
		"idempotent":   {platform.Tool{Effect: tools.EffectIdempotent}, tools.EffectIdempotent, true},
		"both":         {platform.Tool{Effect: tools.EffectIdempotent, ReadOnly: true}, tools.EffectIdempotent, false},
	} {
		c.tool.Name, c.tool.Execute = "t", ok
		d, found := source(t, c.tool).Describe("t")
		require.True(t, found)
		require.Equal(t, c.effect, d.Effect, name)
		require.Equal(t, c.writes, d.Capabilities.Writes, name)
	}
	d, _ := source(t, platform.Tool{
		Name: "t", Description: "d", Parameters: json.RawMessage(`{}`), OutputSchema: json.RawMessage(`true`),
		Checkpointable: true, Sequential: true, Timeout: time.Minute, Execute: ok,
	}).Describe("t")
	require.Equal(t, tools.Descriptor{
		ModelName: "t", Name: "t", Type: "platform", Owner: tools.OwnedByGateway,
		Description: "d", Parameters: json.RawMessage(`{}`), OutputSchema: json.RawMessage(`true`),
		Capabilities: tools.Capabilities{Writes: true, Checkpointable: true},
		GatewayTool:  tools.GatewayTool{Source: "platform", Effect: tools.EffectOnce, Sequential: true, Timeout: time.Minute},
	}, d)
}

func TestEveryMistakeIsListed(t *testing.T) {
	t.Parallel()
	_, err := platform.NewSource(
		platform.Tool{Name: "a.b", Execute: ok},
		platform.Tool{Name: "x"},
		platform.Tool{Name: "x", Execute: ok},
		platform.Tool{Name: "y", Execute: ok, Effect: "sometimes"},
		platform.Tool{Name: "z", Execute: ok, Effect: tools.EffectOnce, ReadOnly: true},
		platform.Tool{Name: "p", Execute: ok, Parameters: json.RawMessage(`{"type":"strin"}`)},
		platform.Tool{Name: "o", Execute: ok, OutputSchema: json.RawMessage(`{"$ref":"file:///etc/passwd"}`)},
		platform.Tool{Name: "s", Execute: ok, Sequential: true, ParallelSafe: true, Timeout: -time.Second},
		platform.Tool{Name: "l", Execute: ok, Timeout: tools.MaxDuration + 1},
	)
	var faults tools.Faults
	require.ErrorAs(t, err, &faults)
	paths := make([]string, len(faults))
	for i, f := range faults {
		paths[i] = f.Path
	}
	require.Equal(t, []string{
		"tools[0].name", "tools[1].execute", "tools[2].name", "tools[3].effect", "tools[4].effect",
		"tools[5].parameters", "tools[6].output_schema", "tools[7].sequential", "tools[7].timeout", "tools[8].timeout",
	}, paths)
	require.ErrorContains(t, err, `tool "x" is already registered as tools[1]`)
}

func TestUnknownNamesAreErrors(t *testing.T) {
	t.Parallel()
	s := source(t)
	_, found := s.Describe("no")
	require.False(t, found)
	_, err := s.Prepare("no", nil)
	require.ErrorContains(t, err, `no platform tool "no"`)
	_, err = s.Execute(t.Context(), "no", tools.Invocation{})
	require.ErrorContains(t, err, `no platform tool "no"`)
}

func TestArgumentsCanBePrepared(t *testing.T) {
	t.Parallel()
	s := source(t,
		platform.Tool{Name: "plain", Execute: ok},
		platform.Tool{Name: "shim", Execute: ok, PrepareArguments: func(json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"new":1}`), nil
		}},
		platform.Tool{Name: "picky", Execute: ok, PrepareArguments: func(json.RawMessage) (json.RawMessage, error) {
			return nil, errors.New("not these")
		}},
		platform.Tool{Name: "shaky", Execute: ok, PrepareArguments: func(json.RawMessage) (json.RawMessage, error) {
			panic("shim")
		}},
	)
	given := []byte(`{"old":1}`)
	got, err := s.Prepare("plain", given)
	require.NoError(t, err)
	require.Same(t, &given[0], &got[0])
	got, err = s.Prepare("shim", given)
	require.NoError(t, err)
	require.JSONEq(t, `{"new":1}`, string(got))
	_, err = s.Prepare("picky", given)
	require.EqualError(t, err, "not these")
	_, err = s.Prepare("shaky", given)
	require.EqualError(t, err, "the tool panicked: shim")
}

func TestAPanicIsAnErrorWithAStackForTheLog(t *testing.T) {
	t.Parallel()
	s := source(t, platform.Tool{Name: "t", Execute: func(context.Context, tools.Invocation) (tools.Output, error) {
		panic(context.Canceled)
	}})
	_, err := s.Execute(t.Context(), "t", tools.Invocation{})
	require.EqualError(t, err, "the tool panicked: context canceled")
	require.NotErrorIs(t, err, context.Canceled)
	var panicked *platform.PanicError
	require.ErrorAs(t, err, &panicked)
	require.Equal(t, context.Canceled, panicked.Value)
	require.Contains(t, string(panicked.Stack), "TestAPanicIsAnErrorWithAStackForTheLog")
}

func TestTypedFunctionsBecomeTools(t *testing.T) {
	t.Parallel()
	type in struct {
		City   string `json:"city"`
		Nights int    `json:"nights"`
	}
	type out struct {
		Text string `json:"text"`
	}
	s := source(t,
		platform.Tool{Name: "value", Execute: platform.Func(func(_ context.Context, a in) (any, error) { return out{a.City}, nil })},
		platform.Tool{Name: "whole", Execute: platform.Func(func(context.Context, in) (any, error) {
			return tools.Output{Content: "done", Terminate: true}, nil
		})},
		platform.Tool{Name: "fails", Execute: platform.Func(func(context.Context, in) (any, error) { return nil, errors.New("no room") })},
		platform.Tool{Name: "keyed", Execute: platform.Func(func(ctx context.Context, _ in) (any, error) {
			call, found := platform.Invocation(ctx)
			require.True(t, found)
			return call.Key, nil
		})},
	)
	call := tools.Invocation{Key: "run/1/0", Arguments: json.RawMessage(`{"city":"Rome","nights":2}`)}
	got, err := s.Execute(t.Context(), "value", call)
	require.NoError(t, err)
	require.Equal(t, tools.Output{Content: out{"Rome"}}, got)
	got, err = s.Execute(t.Context(), "whole", call)
	require.NoError(t, err)
	require.Equal(t, tools.Output{Content: "done", Terminate: true}, got)
	_, err = s.Execute(t.Context(), "fails", call)
	require.EqualError(t, err, "no room")
	got, err = s.Execute(t.Context(), "keyed", call)
	require.NoError(t, err)
	require.Equal(t, "run/1/0", got.Content)

	_, err = s.Execute(t.Context(), "value", tools.Invocation{})
	require.NoError(t, err)
	_, err = s.Execute(t.Context(), "value", tools.Invocation{Arguments: json.RawMessage(`{"nights":"two"}`)})
	require.ErrorContains(t, err, "argument nights: a string does not fit")
	_, err = s.Execute(t.Context(), "value", tools.Invocation{Arguments: json.RawMessage(`[`)})
	require.ErrorContains(t, err, "cannot be decoded")
}

func TestAnInvocationIsKnownOnlyInsideACall(t *testing.T) {
	t.Parallel()
	_, found := platform.Invocation(t.Context())
	require.False(t, found)
}
