package activities

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswersAreHeldAgainstTheOutputSchema(t *testing.T) {
	t.Parallel()
	const object = `{"type":"object","required":["departures"],"properties":{"departures":{"type":"array","items":{"type":"string"}}}}`
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0)})
	require.NoError(t, err)
	for _, one := range []struct{ schema, output, reason string }{
		{object, `{"departures":["09:00"]}`, ""},
		{object, `"{\"departures\":[\"09:00\"]}"`, ""},
		{object, `{}`, "output.departures: "},
		{object, `{"departures":[1]}`, "output.departures[0]: "},
		{object, `"{\"departures\":1}"`, "output.departures: "},
		{object, `"09:00"`, "output: "},
		{object, `null`, "output: "},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,"x"]`, "output[1]: "},
		{`{"type":"string","maxLength":5}`, `"09:00"`, ""},
		{`{"type":"string","maxLength":5}`, `"12345"`, ""},
		{`{"type":"string","maxLength":5}`, `"too long"`, "output: "},
		{`{"type":"number"}`, `"12"`, ""},
	} {
		got, err := a.CheckAnswer(t.Context(), CheckAnswerInput{
			Schema: json.RawMessage(one.schema), Output: json.RawMessage(one.output),
		})
		require.NoError(t, err)
		if one.reason == "" {
			require.Empty(t, got.Reason, "%s against %s", one.output, one.schema)
			continue
		}
		require.Contains(t, got.Reason, one.reason, "%s against %s", one.output, one.schema)
	}
}
