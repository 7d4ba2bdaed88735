package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
)

// batchOf128 is a batch of as many calls as one takes, each to a tool with a
// schema of its own of about 4 KB.
func batchOf128(salt int) PrepareInput {
	in := PrepareInput{Budget: Budget{Calls: -1}}
	for i := range 128 {
		var fields []string
		for f := range 40 {
			fields = append(fields, fmt.Sprintf(`"field_%d_%d":{"type":"string","minLength":1,"maxLength":200,"description":"What field %d of tool %d holds"}`, salt, f, f, i))
		}
		in.Calls = append(in.Calls, PreparedCall{
			Call: tools.Call{ID: fmt.Sprint(i), Index: i, Tool: fmt.Sprint("tool_", i), Arguments: fmt.Sprintf(`{"field_%d_0":"x","n":"7"}`, salt)},
			Descriptor: tools.Descriptor{
				ModelName: fmt.Sprint("tool_", i), Name: fmt.Sprint("tool_", i), Owner: tools.OwnedByClient,
				Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},` + strings.Join(fields, ",") + `}}`),
			},
		})
	}
	return in
}

// BenchmarkPrepareBatch prints what preparing 128 calls takes when their
// schemas are compiled already (warm) and when none is (cold).
func BenchmarkPrepareBatch(b *testing.B) {
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0)})
	require.NoError(b, err)
	b.Run("warm", func(b *testing.B) {
		in := batchOf128(-1)
		prepareIn(b, a, in)
		b.ReportMetric(float64(len(in.Calls[0].Descriptor.Parameters)), "schema-bytes")
		for b.Loop() {
			prepareIn(b, a, in)
		}
	})
	b.Run("cold", func(b *testing.B) {
		salt := 0
		for b.Loop() {
			salt++
			prepareIn(b, a, batchOf128(salt))
		}
	})
}

func prepareIn(b *testing.B, a *Activities, in PrepareInput) {
	b.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	got, err := env.ExecuteLocalActivity(a.Prepare, in)
	require.NoError(b, err)
	var out PrepareResult
	require.NoError(b, got.Get(&out))
	require.Nil(b, out.Calls[127].Immediate)
}
