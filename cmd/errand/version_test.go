package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionIsThatOfTheSource(t *testing.T) {
	t.Parallel()
	require.Equal(t, "v0.1.0", newBuild(&debug.BuildInfo{}).Version, "also where nothing is known of the build")
	b := newBuild(&debug.BuildInfo{
		Main: debug.Module{Version: "(devel)"},
		Deps: []*debug.Module{{Path: "go.temporal.io/sdk", Version: "v1.51.0"}},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"},
		},
	})
	require.True(t, strings.HasPrefix(b.line("temporal errand"), "temporal errand v0.1.0 (0123456789ab, modified), go1."))
	require.True(t, strings.HasSuffix(b.line("errand"), ", Temporal SDK v1.51.0"))
}

func TestVersionIsAlsoAFlag(t *testing.T) {
	t.Parallel()
	command := call(t, "errand", nil, "", "version")
	require.Zero(t, command.code, command.err)
	require.True(t, strings.HasPrefix(command.out, "errand v0.1.0"), command.out)
	flag := call(t, "errand", nil, "", "--version")
	require.Equal(t, command, flag)
}
