package test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/workflows/contract"
)

// TestRequestMayBeWrittenAnyWay: white space, characters that encoding/json
// escapes and bytes that are not UTF-8 change nothing in a run.
func TestRequestMayBeWrittenAnyWay(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"white space":      `[ {"role": "user",  "content": "hi"} ]`,
		"markup":           `[{"role":"user","content":"<b>a & b</b>"}]`,
		"line separators":  "[{\"role\":\"user\",\"content\":\"a\u2028b\"}]",
		"not UTF-8":        "[{\"role\":\"user\",\"content\":\"a\xffb\"}]",
		"an unusual order": `[{"content":"hi","vendor":{"z":1.0,"a":9007199254740993},"role":"user"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, harness.Rounds(harness.Say("<i>one & two</i>").And(harness.Call("ask", `{"q": "<&>"}`)), harness.Say("ok")))
			s.work("responses")
			run := s.startRaw("{\"model\" : \"m\",\n \"input\" : " + input + ",\n \"x\" : \"<\xff>\", \"tools\" : [ {\"type\":\"function\", \"name\":\"ask\"} ], \"run\":{\"model_attempts\":1} }")
			ctx := within(t)
			require.NoError(t, run.Serve(ctx, starter.Handlers{"ask": func(_ context.Context, c starter.Call) (any, error) {
				var args struct{ Q string }
				err := c.Decode(&args)
				return args.Q, err
			}}))
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, contract.Completed, result.Status)
			require.Equal(t, "ok", result.OutputText)
			second, err := harness.Decode(s.model.Requests()[1])
			require.NoError(t, err)
			require.Equal(t, "<&>", second.Outputs()[0].Output)
		})
	}
}
