package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

// encoded is the length of text in JSON, without the quotes.
func encoded(t *testing.T, text string) int {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return len(raw) - 2
}

func TestSmallOutputsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", "żółć\n", strings.Repeat("x", 100)} {
		cut, full := tools.Cut(text, 100)
		require.Equal(t, text, cut)
		require.Zero(t, full)
	}
}

func TestInvalidTextIsCleanedWithoutACut(t *testing.T) {
	t.Parallel()
	cut, full := tools.Cut("a\xff\xfeb\xffc", 100)
	require.Equal(t, "a\uFFFDb\uFFFDc", cut)
	require.Zero(t, full)
	require.Equal(t, cut, tools.Clean("a\xff\xfeb\xffc"))
}

func TestLargeOutputsSayHowMuchIsShown(t *testing.T) {
	t.Parallel()
	cut, full := tools.Cut(strings.Repeat("x", 200), 100)
	require.Equal(t, 200, full)
	require.Equal(t, strings.Repeat("x", 55)+"\n[… cut by Errand: 55 of 200 bytes shown]", cut)
}

func TestTheLimitHoldsForTheEncodingToo(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		"\x00", "<", "&", "\n", "\"", "\\", "\u2028", "\x7f", "é", "漢", "💥", "\xff", "a\xff", "\b\f", "\xed\xa0\x80",
	} {
		text := strings.Repeat(unit, tools.MaxOutput/len(unit)+1)
		cut, full := tools.Cut(text, tools.MaxOutput)
		require.LessOrEqual(t, len(cut), tools.MaxOutput, "%q", unit)
		require.LessOrEqual(t, encoded(t, cut), tools.MaxOutput, "%q", unit)
		require.True(t, utf8.ValidString(cut), "%q", unit)
		if full > 0 {
			require.Equal(t, len(text), full)
			require.Contains(t, cut[len(cut)-60:], fmt.Sprintf("of %d bytes shown]", full))
			require.Greater(t, encoded(t, cut), tools.MaxOutput-20, "%q", unit)
		}
	}
}

func TestATinyLimitLeavesNoRoomForTheMarker(t *testing.T) {
	t.Parallel()
	for limit := -1; limit < 60; limit++ {
		cut, full := tools.Cut(strings.Repeat("é", 100), limit)
		require.Equal(t, 200, full)
		require.LessOrEqual(t, encoded(t, cut), max(limit, 0))
	}
}

func FuzzCut(f *testing.F) {
	f.Add("", 0)
	f.Add("text \x00\xff<é>", 12)
	f.Add(strings.Repeat("\n", 300), 200)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		cut, full := tools.Cut(text, limit)
		require.True(t, utf8.ValidString(cut))
		require.LessOrEqual(t, encoded(t, cut), max(limit, 0))
		if full == 0 {
			require.Equal(t, tools.Clean(text), cut)
		} else {
			require.Equal(t, len(text), full)
		}
	})
}

func BenchmarkCut(b *testing.B) {
	text := strings.Repeat("some output <b>\n", 1<<18)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tools.Cut(text, tools.MaxOutput)
	}
}

func TestShortenedTextKeepsItsLimitAndItsCharacters(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text  string
		limit int
		bytes string
		runes string
	}{
		{"żółć", 8, "żółć", "żółć"},
		{"żółć", 7, "żó…", "żółć"},
		{"żółć", 4, "…", "żółć"},
		{"żółć", 3, "…", "żó…"},
		{"abcdef", 5, "ab…", "abcd…"},
		{"", 1, "", ""},
	} {
		require.Equal(t, row.bytes, tools.Shorten(row.text, row.limit), "%q %d", row.text, row.limit)
		require.Equal(t, row.runes, tools.ShortenRunes(row.text, row.limit), "%q %d", row.text, row.limit)
	}
	require.Equal(t, "a b \uFFFDc", tools.Line(" a\n\tb \xffc "))
}
