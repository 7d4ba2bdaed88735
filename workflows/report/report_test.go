package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/workflows/contract"
)

func TestWarningsAreCappedAndCounted(t *testing.T) {
	t.Parallel()
	var r Report
	for i := range maxWarnings + 50 {
		r.Warn(fmt.Sprint(i), strings.Repeat("w", 5000))
	}
	all := r.AllWarnings()
	require.Len(t, all, maxWarnings+1)
	require.Equal(t, fmt.Sprintf("… and %d more warnings", 2*(maxWarnings+50)-maxWarnings), all[maxWarnings])
	for _, w := range all {
		require.LessOrEqual(t, len(w), maxText)
	}
}

func TestOutputsThatAreItemsTravelAsTheirIndex(t *testing.T) {
	t.Parallel()
	items := []json.RawMessage{json.RawMessage(`{"text":"a"}`), json.RawMessage(`{"text":"b"}`)}
	var r Report
	r.Publish(items[1])
	r.Publish(json.RawMessage(`{"id":"elsewhere"}`))
	text, err := json.Marshal(r.Without(items))
	require.NoError(t, err)
	require.Contains(t, string(text), `"output":[1,{"id":"elsewhere"}]`)
	var again Report
	require.NoError(t, json.Unmarshal(text, &again))
	require.NoError(t, again.Restore(items))
	require.Equal(t, r, again)
	require.Equal(t, len(`{"id":"elsewhere"}`), again.SizeBeside(items))

	again.Output[0] = json.RawMessage("9")
	require.EqualError(t, again.Restore(items), "the report names item 9 of 2")
}

func TestPublicItemsThatNoResultCouldHoldAreLetGo(t *testing.T) {
	t.Parallel()
	half := json.RawMessage(`"` + strings.Repeat("a", contract.MaxResultSize/2) + `"`)
	var r Report
	for range 3 {
		r.Publish(half)
	}
	require.Equal(t, 2, r.LeftOut)
	r.Republish(1, json.RawMessage(`"late"`)) // it was let go
	r.Republish(3, json.RawMessage(`"small"`))
	require.Equal(t, []json.RawMessage{json.RawMessage(`"small"`)}, r.Output)
}
