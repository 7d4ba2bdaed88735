package tools

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncodedSizeIsThatOfTheJSONText(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"text with escapes": "<\x01 \"é\u2028",
		"raw JSON":          json.RawMessage(`{"a":"<&>","é":"` + "\u2028\u2029\u2027" + `"}`),
		"an object":         struct{ A []int }{[]int{1, 22}},
		"nothing":           nil,
		"no raw JSON":       json.RawMessage(nil),
	} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		require.Equal(t, len(text), EncodedSize(v), name)
	}
	require.GreaterOrEqual(t, EncodedSize(json.RawMessage(` {"a" : 1} `)), len(`{"a":1}`))
	require.Zero(t, EncodedSize(make(chan int)))
}
