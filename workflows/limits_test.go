package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
	"errand/workflows/conversation"
)

func encodedLen(t *testing.T, v any) int {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return len(text)
}

// Every page is within its size, has at least one entry, and all pages together
// are all entries.
func TestPagesAreWithinTheirSizeAndMissNothing(t *testing.T) {
	t.Parallel()
	const envelope = 100 // the page's own members
	var all []json.RawMessage
	for i := range 60 {
		all = append(all, item.Message("assistant", strings.Repeat("<", 1+i*700)))
	}
	all = append(all, item.Message("assistant", strings.Repeat("a", contract.MaxItemSize)))
	for _, asked := range []int{0, 1, 50 << 10, contract.MaxPageSize, 10 * contract.MaxPageSize} {
		limit := asked
		if limit == 0 || limit > contract.MaxPageSize {
			limit = contract.MaxPageSize
		}
		var got []json.RawMessage
		for next := 0; next < len(all); {
			var some []json.RawMessage
			some, next = page(all, contract.PageQuery{From: next, MaxBytes: asked})
			require.NotEmpty(t, some)
			if len(some) > 1 {
				require.LessOrEqual(t, encodedLen(t, some), limit+envelope)
			}
			got = append(got, some...)
		}
		require.Equal(t, all, got)
	}
}

func TestPagesOfTheSurfaceAreWithinTheirSizeAndWholeCharacters(t *testing.T) {
	t.Parallel()
	r := &run{surface: conversation.Surface{Text: strings.Repeat(`"é"`, contract.MaxPageSize/2)}}
	var text strings.Builder
	for done := false; !done; {
		p, err := r.surfacePage(contract.PageQuery{From: text.Len()})
		require.NoError(t, err)
		require.LessOrEqual(t, encodedLen(t, p), contract.MaxPageSize+100)
		text.WriteString(p.Text)
		require.Equal(t, text.Len(), p.Next)
		done = p.Done
	}
	require.Equal(t, r.surface.Text, text.String())
}

// One answer to status has room for a few large calls only; it says how many
// it left out.
func TestManifestsThatDoNotFitAreCounted(t *testing.T) {
	t.Parallel()
	r := &run{id: "run_1"}
	for i := range 100 {
		r.Ledger.Open(&actions.Call{Kind: item.TypeFunctionCall, Call: tools.Call{
			ID: fmt.Sprint(i), Round: 1, Index: i, Tool: "ask", Arguments: `{"a":"` + strings.Repeat("<", 4<<10) + `"}`,
		}})
		r.Ledger.Ask(&actions.Call{Call: tools.Call{
			ID: fmt.Sprint(i), Round: 2, Index: i, Tool: "ask", Arguments: `{"a":"` + strings.Repeat("<", 4<<10) + `"}`,
		}}, "why")
	}
	report := r.statusAt(time.Time{})
	require.LessOrEqual(t, encodedLen(t, report), 1<<20)
	require.NotEmpty(t, report.Actions)
	require.NotEmpty(t, report.Approvals)
	require.Equal(t, 200, len(report.Actions)+len(report.Approvals)+report.ActionsLeftOut)
}
