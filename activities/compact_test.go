package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools/item"
)

// talk builds a conversation from words: u and a are messages, r reasoning,
// c1 a call and o1 its outcome, n a note of the developer.
func talk(words string) []json.RawMessage {
	var all []json.RawMessage
	for _, w := range strings.Fields(words) {
		switch w[0] {
		case 'u':
			all = append(all, item.Message("user", w))
		case 'n':
			all = append(all, item.Message("developer", w))
		case 'a':
			all = append(all, item.Message("assistant", w))
		case 'r':
			all = append(all, json.RawMessage(`{"type":"reasoning","id":"`+w+`","summary":[]}`))
		case 'c':
			all = append(all, item.FunctionCall(w[1:], "t", "{}"))
		case 'o':
			all = append(all, item.Output(item.TypeFunctionCallOutput, w[1:], strings.Repeat("x", 100)))
		}
	}
	return all
}

func TestAConversationIsCutWhereNothingIsPartedFromItsCounterpart(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][]int{
		"u":                     nil,
		"u a u a":               {2, 3},
		"u r1 c1 o1 r2 c2 o2 a": {4, 7},
		"u c1 c2 o1 o2 c3 o3":   {5},
		"u c1 c2 o2 c3 o3 o1 a": {7},
		"n u c1 o1 u c2":        {4, 5},
		"u c1":                  nil,
		"u a1 c1 o1 a2 c2 o2":   {2, 4, 5},
	} {
		items := talk(words)
		require.Equal(t, want, cuts(items, head(items)), words)
	}
	require.Equal(t, 2, head(talk("n u a")))
	require.Equal(t, 0, head(talk("a u")))
}

func TestTheOldestRoundsGoBehindANote(t *testing.T) {
	t.Parallel()
	a := &Activities{}
	items := talk("u c1 o1 c2 o2 c3 o3 c4 o4")
	compact := func(all []json.RawMessage, room int) ([]json.RawMessage, bool) {
		s := shorten{all: all, shown: item.Shown(all)}
		s.keep = head(all)
		s.room = room
		drop, instead, _ := a.choose(context.Background(), CompactCall{Items: s.shown[s.keep:]}, s)
		if drop == 0 {
			return all, false
		}
		return append(all[:len(all):len(all)], s.result(drop, instead, CompactInput{Tokens: 100}).Item), true
	}
	once, ok := compact(items, 450)
	require.True(t, ok)
	require.Equal(t, talk("c3 o3 c4 o4"), item.Shown(once)[2:])
	require.Contains(t, item.Text(item.Shown(once)[1]), "[4 earlier items")
	twice, ok := compact(append(once, talk("c5 o5")...), 230)
	require.True(t, ok)
	require.Equal(t, talk("c5 o5"), item.Shown(twice)[2:])
	require.Contains(t, item.Text(item.Shown(twice)[1]), "[8 earlier items", "the first compaction is none of them")
	_, ok = compact(twice, 0)
	require.False(t, ok, "the last round stays")
}

func TestAHookOfTheWorkerDecidesWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	items := talk("u c1 o1 c2 o2 c3 o3")
	s := shorten{all: items, shown: items, keep: 1, room: 300}
	call := CompactCall{Items: items[1:], Room: 300}
	summary := []json.RawMessage{item.Message("user", "summary")}
	for name, row := range map[string]struct {
		hook Compact
		drop int
		note string
	}{
		"takes its cut":      {func(context.Context, CompactCall) (int, []json.RawMessage, error) { return 4, summary, nil }, 4, ""},
		"never parts a call": {func(context.Context, CompactCall) (int, []json.RawMessage, error) { return 3, summary, nil }, 2, ""},
		"drops nothing":      {func(context.Context, CompactCall) (int, []json.RawMessage, error) { return 0, nil, nil }, 4, ""},
		"fails":              {func(context.Context, CompactCall) (int, []json.RawMessage, error) { return 0, nil, errors.New("no") }, 4, "failed"},
		"panics":             {func(context.Context, CompactCall) (int, []json.RawMessage, error) { panic("no") }, 4, "panic"},
		"puts no JSON instead": {func(context.Context, CompactCall) (int, []json.RawMessage, error) {
			return 4, []json.RawMessage{summary[0], json.RawMessage("a summary")}, nil
		}, 4, "item 1 in place of the dropped ones is no JSON"},
		"puts no object instead": {func(context.Context, CompactCall) (int, []json.RawMessage, error) {
			return 4, []json.RawMessage{json.RawMessage(`"a summary"`)}, nil
		}, 4, "item 0 in place of the dropped ones is no JSON object"},
		"puts too much instead": {func(context.Context, CompactCall) (int, []json.RawMessage, error) {
			return 4, []json.RawMessage{item.Message("user", strings.Repeat("x", maxInstead))}, nil
		}, 4, "over"},
	} {
		a := &Activities{hooks: Hooks{Compact: row.hook}}
		drop, instead, notes := a.choose(context.Background(), call, s)
		require.Len(t, instead, 1, name)
		require.Equal(t, row.drop, drop, name)
		require.Equal(t, row.note != "", len(notes) > 0, name)
		require.Contains(t, strings.Join(notes, " "), row.note, name)
	}
}

// TestNoCompactionPartsACallFromItsOutcome compacts random conversations again
// and again.
func TestNoCompactionPartsACallFromItsOutcome(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	a := &Activities{}
	for range 200 {
		all := talk("n u")
		for id := 1; id < 40; {
			n := 1 + random.IntN(3)
			var calls, outs []string
			for range n {
				calls, outs = append(calls, fmt.Sprintf("c%d", id)), append(outs, fmt.Sprintf("o%d", id))
				id++
			}
			all = append(all, talk("r"+fmt.Sprint(id)+" "+strings.Join(calls, " ")+" "+strings.Join(outs, " "))...)
			if random.IntN(3) > 0 {
				continue
			}
			s := shorten{all: all, shown: item.Shown(all)}
			s.keep, s.room = head(all), random.IntN(2000)
			if drop, instead, _ := a.choose(context.Background(), CompactCall{}, s); drop > 0 {
				all = append(all, s.result(drop, instead, CompactInput{}).Item)
			}
			requireWhole(t, item.Shown(all))
		}
	}
}

func requireWhole(t *testing.T, shown []json.RawMessage) {
	t.Helper()
	open := map[string]bool{}
	for i, it := range shown {
		h, err := item.Peek(it)
		require.NoError(t, err)
		switch {
		case item.IsCompaction(it):
			t.Fatal("a compaction is shown")
		case item.IsCall(h.Type):
			open[h.CallID] = true
		case h.Type == item.TypeFunctionCallOutput:
			require.True(t, open[h.CallID], "outcome %s without its call", h.CallID)
			delete(open, h.CallID)
		case h.Type == item.TypeReasoning:
			next, err := item.Peek(shown[i+1])
			require.NoError(t, err)
			require.True(t, item.IsCall(next.Type))
		}
	}
	require.Empty(t, open)
}

func TestServersSayInManyWaysThatAConversationIsTooLong(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"This model's maximum context length is 8192 tokens. However, you requested 9000": true,
		"prompt is too long: 210000 tokens > 200000 maximum":                              true,
		"Your input exceeds the context window of this model":                             true,
		"invalid api key": false,
	} {
		require.Equal(t, want, (&model.Error{Permanent: true, Message: message}).ContextExceeded(), message)
		require.False(t, (&model.Error{Message: message}).ContextExceeded())
	}
	require.True(t, (&model.Error{Permanent: true, Code: "context_length_exceeded"}).ContextExceeded())
}
