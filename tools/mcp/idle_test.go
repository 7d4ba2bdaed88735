package mcp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

func TestListIsReadAgainWhenTheServerSaysThatItHasChanged(t *testing.T) {
	t.Parallel()
	servers, _ := bad(t, "changes")
	names := func() []string {
		listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad"}, "tools[0]")
		require.NoError(t, err)
		require.Empty(t, listing.Failure)
		var all []string
		for _, one := range listing.Tools {
			all = append(all, one.Descriptor.Remote.Tool)
		}
		return all
	}
	require.Equal(t, []string{"do"}, names())
	_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return names()[0] == "another" }, 10*time.Second, 10*time.Millisecond)
	out, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err, "a run goes on with what it was shown")
	require.Contains(t, out.Warnings, `tool "do" of server "bad" has gone from the server's list since the run began`)
}

func TestIdleServerEndsAndTheNextCallStartsAnother(t *testing.T) {
	t.Parallel()
	servers, mark := badIn(t, "fine", func(s *mcpconfig.Server) { s.IdleTimeout = time.Millisecond })
	first, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(marked(t, mark)) == 0 }, 30*time.Second, 20*time.Millisecond, "it ends without being asked to")
	second, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.NotEqual(t, first.Content, second.Content, "another process")
}

func TestBusyServerIsNotEndedForBeingIdle(t *testing.T) {
	t.Parallel()
	servers, _ := badIn(t, "slow answer", func(s *mcpconfig.Server) { s.IdleTimeout = time.Millisecond })
	_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err, "the call takes longer than the server may be idle, and longer than two looks at it")
}
