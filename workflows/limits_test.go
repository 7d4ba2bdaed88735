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
	"errand/workflows/contract"
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

func TestPagesOfEventsAreWithinTheirSize(t *testing.T) {
	t.Parallel()
	j := journal{closed: true}
	for i := range 2000 {
		j.events = append(j.events, contract.Event{Seq: i + 1, Type: contract.EventRejected, Reason: strings.Repeat("&", 990)})
	}
	seen := 0
	for after, done := 0, false; !done; {
		p := j.page(after, maxEvents)
		require.NotEmpty(t, p.Events)
		require.LessOrEqual(t, len(p.Events), maxEvents)
		require.LessOrEqual(t, encodedLen(t, p), contract.MaxPageSize+100)
		require.Equal(t, after+1, p.Events[0].Seq)
		seen += len(p.Events)
		after, done = p.Next, p.Done
	}
	require.Equal(t, 2000, seen)
	few, err := (&run{journal: j}).eventsPage(contract.EventsQuery{Limit: 1 << 30})
	require.NoError(t, err)
	require.LessOrEqual(t, len(few.Events), maxEvents)
}

func TestPagesOfTheSurfaceAreWithinTheirSizeAndWholeCharacters(t *testing.T) {
	t.Parallel()
	r := &run{surface: surface{text: strings.Repeat(`"é"`, contract.MaxPageSize/2)}}
	var text strings.Builder
	for done := false; !done; {
		p, err := r.surfacePage(contract.PageQuery{From: text.Len()})
		require.NoError(t, err)
		require.LessOrEqual(t, encodedLen(t, p), contract.MaxPageSize+100)
		text.WriteString(p.Text)
		require.Equal(t, text.Len(), p.Next)
		done = p.Done
	}
	require.Equal(t, r.surface.text, text.String())
}

func TestWarningsAreCappedAndCounted(t *testing.T) {
	t.Parallel()
	var r report
	for i := range maxWarnings + 50 {
		r.warn(fmt.Sprint(i), strings.Repeat("w", 5000))
	}
	all := r.allWarnings()
	require.Len(t, all, maxWarnings+1)
	require.Equal(t, fmt.Sprintf("… and %d more warnings", 2*(maxWarnings+50)-maxWarnings), all[maxWarnings])
	for _, w := range all {
		require.LessOrEqual(t, len(w), maxText)
	}
}

func TestOnlySmallItemsTravelWithAnInference(t *testing.T) {
	t.Parallel()
	for size, travel := range map[int]bool{maxNewItems - 200: true, maxNewItems + 1: false} {
		var c conversation
		c.add(item.Message("user", "before"))
		c.inferInput()
		c.add(item.Message("user", strings.Repeat("a", size)))
		in := c.inferInput()
		require.Equal(t, travel, len(in.Items) == 1)
		require.Equal(t, []int{2, 1}, []int{in.Length, in.From})
		require.Empty(t, c.inferInput().Items, "sent once")
	}
}

// One answer to status has room for a few large calls only; it says how many
// it left out.
func TestManifestsThatDoNotFitAreCounted(t *testing.T) {
	t.Parallel()
	r := &run{id: "run_1"}
	for i := range 100 {
		r.ledger.hand(&call{kind: item.TypeFunctionCall, Call: tools.Call{
			ID: fmt.Sprint(i), Round: 1, Index: i, Tool: "ask", Arguments: `{"a":"` + strings.Repeat("<", 4<<10) + `"}`,
		}})
		r.ledger.ask(&call{Call: tools.Call{
			ID: fmt.Sprint(i), Round: 2, Index: i, Tool: "ask", Arguments: `{"a":"` + strings.Repeat("<", 4<<10) + `"}`,
		}}, "why")
	}
	report := r.statusAt(time.Time{})
	require.LessOrEqual(t, encodedLen(t, report), 1<<20)
	require.NotEmpty(t, report.Actions)
	require.NotEmpty(t, report.Approvals)
	require.Equal(t, 200, len(report.Actions)+len(report.Approvals)+report.ActionsLeftOut)
}
