package conversation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/item"
)

func TestOnlySmallItemsTravelWithAnInference(t *testing.T) {
	t.Parallel()
	for size, travel := range map[int]bool{maxNewItems - 200: true, maxNewItems + 1: false} {
		var c Conversation
		c.Add(item.Message("user", "before"))
		c.InferInput()
		c.Add(item.Message("user", strings.Repeat("a", size)))
		in := c.InferInput()
		require.Equal(t, travel, len(in.Items) == 1)
		require.Equal(t, []int{2, 1}, []int{in.Length, in.From})
		require.Empty(t, c.InferInput().Items, "sent once")
	}
}

func TestARestoredConversationGoesOnWithItsDigest(t *testing.T) {
	t.Parallel()
	var c Conversation
	c.Add(item.Message("user", "a<b> & é"))
	c.InferInput()
	c.Add(item.Message("user", "c"))
	text, err := json.Marshal(c)
	require.NoError(t, err)
	var again Conversation
	require.NoError(t, json.Unmarshal(text, &again))
	again.Restore()
	require.Equal(t, c.InferInput(), again.InferInput())
}

func TestWhenAConversationIsMadeShorterAndHowMuch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		tokens    int64
		compactAt int
		crowded   bool
		aim       int64
	}{
		{tokens: 1000, crowded: false, aim: 500},
		{tokens: 999, compactAt: 1000, crowded: false, aim: 499},
		{tokens: 1000, compactAt: 1000, crowded: true, aim: 500},
		{tokens: 5000, compactAt: 1000, crowded: true, aim: 500},
	} {
		c := Conversation{Tokens: row.tokens}
		require.Equal(t, row.crowded, c.Crowded(row.compactAt), row)
		require.Equal(t, row.aim, c.CompactInput(row.compactAt).Aim, row)
	}
}

func TestAForcedChoiceIsOfTheFirstRoundOnly(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		choice       string
		round, tools int
		want         string
	}{
		{`"required"`, 1, 1, `"required"`},
		{`"required"`, 2, 1, `"auto"`},
		{`"none"`, 2, 1, `"none"`},
		{`"required"`, 1, 0, ``},
		{`{"type":"function","name":"a"}`, 2, 1, `"auto"`},
		{`{"type":"allowed_tools","mode":"required","tools":[]}`, 2, 1, `{"mode":"auto","tools":[],"type":"allowed_tools"}`},
	} {
		require.Equal(t, row.want, string(ToolChoice(json.RawMessage(row.choice), row.round, row.tools)), row)
	}
}
