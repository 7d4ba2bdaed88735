package openaimodel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
	"errand/test/harness"
)

// The harness writes its streams by itself, so it is a second opinion on what
// a stream is.
func TestStreamedAnswerIsTheUnstreamedOne(t *testing.T) {
	t.Parallel()
	calls := harness.Calls(
		harness.ToolCall{Name: "write_file", Arguments: `{"path":"ä/😀","text":"<a> & \"b\"\n"}`},
		harness.ToolCall{ID: harness.NoID, Name: "now", Arguments: `{}`},
		harness.ToolCall{ID: "ls:0", Name: "ls", Arguments: `{"path":"a`},
	)
	for name, said := range map[string]harness.Answer{
		"text":           harness.Say("It leaves at 9:00 & 10:00, <b>ä 😀</b>."),
		"nothing":        harness.Say(""),
		"calls":          calls,
		"everything":     harness.Reasoning("Let me see.").And(harness.Say("Looking.")).And(calls),
		"truncated":      harness.Say("Looking.").And(calls).Truncated(),
		"filtered":       harness.Say("I can").Filtered(),
		"without usage":  harness.Say("hi").WithoutUsage(),
		"with its usage": harness.Say("hi").WithUsage(1234, 56),
	} {
		for _, api := range []string{openaimodel.Responses, openaimodel.Chat} {
			t.Run(fmt.Sprintf("%s, %s", name, api), func(t *testing.T) {
				t.Parallel()
				server := harness.StartModel(t, func(harness.Decoded) harness.Answer { return said })
				request := model.Request{Model: "m", Items: items(`{"role":"user","content":"hi"}`)}
				var got [2]model.Answer
				for i, stream := range []bool{false, true} {
					var err error
					got[i], err = build(t, openaimodel.Config{BaseURL: server.URL(), API: api, Stream: stream}).Infer(t.Context(), request)
					require.NoError(t, err)
				}
				require.Equal(t, texts(got[0].Items), texts(got[1].Items))
				require.Equal(t, got[0], got[1])
				require.Len(t, server.Requests(), 2)
			})
		}
	}
}

func TestDroppedStreamIsNoModelError(t *testing.T) {
	t.Parallel()
	for _, api := range []string{openaimodel.Responses, openaimodel.Chat} {
		server := harness.StartModel(t, func(harness.Decoded) harness.Answer { return harness.Drop() })
		_, err := build(t, openaimodel.Config{BaseURL: server.URL(), API: api, Stream: true}).
			Infer(t.Context(), model.Request{Model: "m", Items: items(`{"role":"user","content":"hi"}`)})
		require.ErrorContains(t, err, "ask the model: read the answer: ")
		var failure *model.Error
		require.NotErrorAs(t, err, &failure)
	}
}
