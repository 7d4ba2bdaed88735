package textcall_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/tools/textcall"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "plain", `{"name":"f","arguments":{}}`, "```json\n{\"name\":\"f\",\"args\":\"{}\"}\n```",
		`a <fc>{"name":"f","arguments":"{\"a\":1}"}</fc> b <FC x="1">{“name”:“g”,}</ fc >`,
		`<plan><fc>{"name":"f"}</fc></plan><fc>{"function":{"name":"f","arguments":"\"{}\""}}</fc>`,
		`<fc>{"name":"f","arguments":{"t":"</fc>\"<fc>"}}</fc>`, "<fc>{\"name\":\"\xff\"}</fc>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, rest := textcall.Parse(text)
		for _, c := range calls {
			require.NotEmpty(t, strings.TrimSpace(c.Name))
			require.True(t, utf8.ValidString(c.Arguments))
			var object map[string]json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(c.Arguments), &object))
			require.NotNil(t, object)
		}
		if calls == nil {
			require.Equal(t, text, rest)
		}
		require.LessOrEqual(t, len(rest), len(text))
		whole := strings.TrimSpace(text)
		if !strings.Contains(strings.ToLower(text), "<fc") && !strings.HasPrefix(whole, "{") && !strings.HasPrefix(whole, "```") {
			require.Nil(t, calls)
		}
	})
}

// TestHostileTextsTakeNoLongerThanOthers has texts that would keep a parser
// busy for hours if it went over their ends again for every start.
func TestHostileTextsTakeNoLongerThanOthers(t *testing.T) {
	t.Parallel()
	fill := func(unit string) string { return strings.Repeat(unit, textcall.MaxText/3/len(unit)) }
	for name, text := range map[string]string{
		"starts":               fill("<fc>"),
		"starts before space":  fill("<fc>") + fill(" ") + "</fc>",
		"starts before an end": fill("<fc>") + fill(`{"a":"`) + "</fc>",
		"starts of objects":    fill(`<fc>{"`) + "</fc>",
		"starts in strings":    fill(`<fc>{"a":"`) + fill("</fc>"),
		"starts of tags":       fill("<fc "),
		"ends":                 fill("</fc>") + fill("</ fc"),
		"starts and ends":      fill("<fc></fc>"),
		"plans":                fill("<plan>") + fill("<fc>"),
		"commas":               "<fc>" + fill(", ") + fill(",") + "</fc>",
		"quotes":               "<fc>{" + fill(`"`) + fill("“") + "</fc>",
		"brackets":             `{"name":"f","arguments":` + fill("[") + fill("{"),
		"fences":               fill("```") + fill("`"),
		"a string over starts": `<fc>{"name":"f","arguments":"` + fill("<fc>") + `</fc>` + fill("<fc>") + `"`,
		"a string over ends":   fill("<fc>") + `{"name":"f","arguments":"` + fill("</fc>") + `"}</fc>`,
		"escapes":              `<fc>{"name":"` + fill(`\`) + fill(`\"`) + `"}</fc>`,
		"strings in strings":   `<fc>{"name":"f","arguments":"` + fill(`\"`) + fill(`\\\"`) + `"}</fc>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.LessOrEqual(t, len(text), textcall.MaxText)
			begin := time.Now()
			textcall.Parse(text)
			require.Less(t, time.Since(begin), 20*time.Second)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	text := strings.Repeat(`Some words <b>, then <fc>{"name":"f","arguments":{"a":"b"}}</fc> and on.`, 1<<12)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		textcall.Parse(text)
	}
}
