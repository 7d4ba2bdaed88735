package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func TestCanonicalSurvivesBeingEncodedAgain(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"a": 1, "b": [ 1 , 2 ]}`, `{"t":"<b>a & b</b>"}`, "{\"t\":\"a\u2028b\"}", "{\"t\":\"a\xffb\"}",
		`{"n":9007199254740993,"f":0.20,"e":1e400}`, ` "x" `, `{"t":"\u003c\\u003c"}`,
	} {
		once, err := tools.Canonical([]byte(raw))
		require.NoError(t, err, raw)
		again, err := json.Marshal(once)
		require.NoError(t, err)
		require.Equal(t, string(once), string(again), raw)
	}
	_, err := tools.Canonical([]byte(`{"a":`))
	require.Error(t, err)
	_, err = tools.Canonical([]byte(strings.Repeat("[", 1001) + strings.Repeat("]", 1001)))
	require.ErrorContains(t, err, "1,000")
	_, err = tools.Canonical([]byte(`"` + strings.Repeat("[", 5000) + `"`))
	require.NoError(t, err, "brackets in a string are no nesting")
}
