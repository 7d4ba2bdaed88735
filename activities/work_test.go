package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

// slowCall is one whose schema asks for about a third of what a batch may take.
func slowCall(index int) PreparedCall {
	return PreparedCall{
		Call: tools.Call{ID: fmt.Sprint(index), Index: index, Tool: "t", Arguments: `{"p":"` + strings.Repeat("a", 50_000) + `"}`},
		Descriptor: tools.Descriptor{
			Name: "t", Owner: tools.OwnedByClient, Parameters: json.RawMessage(`{"properties":{"p":{"pattern":"^(a?){20}"}}}`),
		},
	}
}

// One request cannot hold a worker's core: the calls of a batch share what their
// schemas may ask for.
func TestTheCallsOfABatchShareTheWorkOfTheirSchemas(t *testing.T) {
	t.Parallel()
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0)})
	require.NoError(t, err)
	in := PrepareInput{Budget: Budget{Calls: -1}}
	for i := range 20 {
		in.Calls = append(in.Calls, slowCall(i))
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteLocalActivity(a.Prepare, in)
	require.NoError(t, err)
	var out PrepareResult
	require.NoError(t, got.Get(&out))
	require.Nil(t, out.Calls[0].Immediate)
	refused := slices.IndexFunc(out.Calls, func(p Prepared) bool { return p.Immediate != nil })
	require.Positive(t, refused)
	require.Contains(t, out.Calls[refused].Immediate.Output,
		"p: cannot be checked, because it would take too long: a text of 50000 bytes, against the pattern ^(a?){20}")
	for _, p := range out.Calls[refused:] {
		require.NotNil(t, p.Immediate)
		require.Contains(t, p.Immediate.Output, "cannot be checked")
	}
}

func TestSchemasOfARequestShareTheWorkOfCompiling(t *testing.T) {
	t.Parallel()
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0)})
	require.NoError(t, err)
	var in DiscoverInput
	for i := range 20 {
		in.Declarations = append(in.Declarations, tools.Declaration{
			Type: tools.TypeFunction, Name: "t", Path: fmt.Sprintf("tools[%d]", i),
			FunctionDeclaration: tools.FunctionDeclaration{
				Parameters: json.RawMessage(fmt.Sprintf(`{"title":"%d","allOf":[%s{}]}`, i, strings.Repeat(`{"type":"string"},`, 3000))),
			},
		})
	}
	out, err := a.Discover(t.Context(), in)
	require.NoError(t, err)
	require.NotEmpty(t, out.Faults)
	require.NotEqual(t, "tools[0].parameters", out.Faults[0].Path)
	require.Contains(t, out.Faults.Error(), "tools[19].parameters: the schema would take too long to compile, together with the other schemas of the request")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Discover(ctx, in)
	require.ErrorIs(t, err, context.Canceled)
}
