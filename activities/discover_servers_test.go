package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

// listingOf lists as many tools as it is, each with a description.
type listingOf struct {
	count       int
	description string
	warnings    int
}

func (l listingOf) List(context.Context, tools.ServerDeclaration, string) (tools.Listing, error) {
	var out tools.Listing
	for i := range l.count {
		out.Tools = append(out.Tools, tools.Listed{Descriptor: tools.Descriptor{
			ModelName: fmt.Sprintf("t%d", i), Name: fmt.Sprintf("t%d", i), Description: l.description, Parameters: json.RawMessage(`{"type":"object"}`),
		}})
	}
	for range l.warnings {
		out.Warnings = append(out.Warnings, "odd")
	}
	return out, nil
}

func TestOneServerBringsAtMostSoManyToolsAndBytes(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("d", MaxDescriptors/2)
	for _, row := range []struct {
		name  string
		of    listingOf
		fault string
	}{
		{name: "as many as may be", of: listingOf{count: 512}},
		{name: "one more", of: listingOf{count: 513}, fault: `server "db" has 513 tools, at most 512 are taken in a run: name fewer in allowed_tools`},
		{name: "under 1.5 MiB", of: listingOf{count: 1, description: half}},
		{name: "over 1.5 MiB", of: listingOf{count: 2, description: half}, fault: "at most 1572864 are taken in a run"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			out := list(t, row.of)
			if row.fault == "" {
				require.Empty(t, out.Faults)
				require.Len(t, out.Tools, row.of.count)
				return
			}
			require.Len(t, out.Faults, 1)
			require.Equal(t, "tools[3]", out.Faults[0].Path)
			require.Contains(t, out.Faults.Error(), row.fault)
			require.Empty(t, out.Tools, "what is refused does not enter history")
		})
	}
}

func TestServerSaysAtMostSoMuch(t *testing.T) {
	t.Parallel()
	out := list(t, listingOf{warnings: 60})
	require.Len(t, out.Warnings, 51)
	require.Equal(t, `server "db": … and 10 more warnings`, out.Warnings[50])
}

func list(t *testing.T, servers Servers) tools.Listing {
	t.Helper()
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Servers: servers})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	value, err := env.ExecuteActivity(a.ListServer, ListServerInput{Path: "tools[3]", Server: tools.ServerDeclaration{Label: "db"}})
	require.NoError(t, err)
	var out tools.Listing
	require.NoError(t, value.Get(&out))
	return out
}
