package events

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/contract"
)

func TestPagesOfEventsAreWithinTheirSize(t *testing.T) {
	t.Parallel()
	j := Journal{closed: true}
	for i := range 2000 {
		j.Events = append(j.Events, contract.Event{Seq: i + 1, Type: contract.EventRejected, Reason: strings.Repeat("&", 990)})
	}
	seen := 0
	for after, done := 0, false; !done; {
		p := j.Page(after, 1000)
		require.NotEmpty(t, p.Events)
		require.LessOrEqual(t, len(p.Events), 1000)
		require.LessOrEqual(t, tools.EncodedSize(p), contract.MaxPageSize+100)
		require.Equal(t, after+1, p.Events[0].Seq)
		seen += len(p.Events)
		after, done = p.Next, p.Done
	}
	require.Equal(t, 2000, seen)
}

func TestOldEventsAreLeftBehindAndTheNumbersGoOn(t *testing.T) {
	t.Parallel()
	var j Journal
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	for range 5 {
		j.Add(now, contract.Event{Type: contract.EventToolUpdate, Text: "half"})
	}
	require.Equal(t, 3, j.Shed(2))
	require.Zero(t, j.Shed(2))
	require.Equal(t, 6, j.Add(now, contract.Event{}))
	j.Blank(2) // it was left behind
	j.Blank(5)
	page := j.Page(0, 10)
	require.Equal(t, 3, page.LeftOut)
	require.Equal(t, []int{4, 5, 6}, []int{page.Events[0].Seq, page.Events[1].Seq, page.Events[2].Seq})
	require.Equal(t, []string{"half", ""}, []string{page.Events[0].Text, page.Events[1].Text})
	require.Equal(t, time.UTC, page.Events[0].At.Location())
	require.False(t, page.Done)
	j.Close()
	require.True(t, j.Page(page.Next, 10).Done)
}

func TestAFloodOfRejectedSignalsIsOnlyCounted(t *testing.T) {
	t.Parallel()
	var j Journal
	recorded := 0
	for range MaxRejected + 20 {
		if j.Reject() {
			recorded++
		}
	}
	require.Equal(t, MaxRejected, recorded)
	require.Equal(t, MaxRejected+20, j.Rejected)
}
