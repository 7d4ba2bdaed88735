package item

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func texts(items []json.RawMessage) []string {
	var all []string
	for _, it := range items {
		if text := Text(it); text != "" {
			all = append(all, text)
			continue
		}
		all = append(all, string(it))
	}
	return all
}

func say(words ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, w := range words {
		all = append(all, Message("user", w))
	}
	return all
}

func TestTheModelIsShownTheLastCompaction(t *testing.T) {
	t.Parallel()
	plain := say("a", "b", "c", "d")
	require.Equal(t, plain, Shown(plain))

	once := append(plain[:4:4], Compaction{Keep: 1, UpTo: 3, Items: say("note")}.Raw(), Message("user", "e"))
	require.Equal(t, []string{"a", "note", "d", "e"}, texts(Shown(once)))

	twice := append(once[:6:6], Compaction{Keep: 1, UpTo: 5, Items: say("other")}.Raw(), Message("user", "f"))
	require.Equal(t, []string{"a", "other", "e", "f"}, texts(Shown(twice)))
}

func TestACompactionOfAnotherConversationDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, c := range []Compaction{{Keep: 1, UpTo: 9}, {Keep: 3, UpTo: 2}, {Keep: -1, UpTo: 1}} {
		items := append(say("a", "b"), c.Raw())
		at, _ := Last(items)
		require.Equal(t, -1, at, c)
	}
}
